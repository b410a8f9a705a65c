// The macro that makes a symbol part of the public interface of libsaranga.so.
#pragma once

#define SARANGA_API __attribute__((visibility("default")))
