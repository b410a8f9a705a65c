// The main function of every unit test program. The test framework is one big header; it is
// compiled here once.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
