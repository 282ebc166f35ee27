printf FILE --buffer AC3073.dump --dwords-per-item 4
