printf FILE --buffer AC3076.dump --dwords-per-item 4
