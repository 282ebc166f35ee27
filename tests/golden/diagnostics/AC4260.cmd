verify AC4220.bin FILE
