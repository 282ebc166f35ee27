printf FILE --buffer AC3072.dump --dwords-per-item 4
