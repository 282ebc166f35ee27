#include "/work/main/tests/golden/coverage_test.cpp"
#include "/work/main/tests/golden/golden_test.cpp"
#include "/work/main/tests/golden/schema_test.cpp"
#include "/work/main/tests/golden/terminal_test.cpp"
