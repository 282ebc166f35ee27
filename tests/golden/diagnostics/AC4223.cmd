convert --summary --layout in-place --to elf FILE
