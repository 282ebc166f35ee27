convert --to elf --summary FILE
