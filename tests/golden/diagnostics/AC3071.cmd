printf FILE --buffer AC3071.dump --dwords-per-item 4
