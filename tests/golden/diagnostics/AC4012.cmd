convert --to elf FILE
