convert --to asm FILE
