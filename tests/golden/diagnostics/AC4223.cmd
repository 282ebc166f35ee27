convert --summary --to elf FILE
