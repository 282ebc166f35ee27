printf FILE --buffer AC3075.dump --dwords-per-item 4
