printf FILE --buffer AC3078.dump --dwords-per-item 4
