convert --to elf --target gfx900 FILE
