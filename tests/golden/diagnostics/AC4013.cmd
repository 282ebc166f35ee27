convert --layout natural --to elf --target gfx900 FILE
