#include "/work/main/tests/lower/lazy_open_test.cpp"
#include "/work/main/tests/lower/oracle_test.cpp"
#include "/work/main/tests/lower/real_corpus_test.cpp"
