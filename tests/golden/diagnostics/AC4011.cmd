convert --layout natural --to elf FILE
