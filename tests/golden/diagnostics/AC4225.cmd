convert -v --summary --to elf FILE
