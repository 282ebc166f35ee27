printf FILE --buffer AC3070.dump --dwords-per-item 1
