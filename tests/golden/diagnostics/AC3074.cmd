printf FILE --buffer AC3074.dump --dwords-per-item 4
