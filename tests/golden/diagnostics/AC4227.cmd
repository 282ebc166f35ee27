convert --summary --to asm FILE
