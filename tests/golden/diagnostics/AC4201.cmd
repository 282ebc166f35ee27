convert -v --to elf --summary FILE
