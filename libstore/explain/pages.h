// Pages and large-message files explained. Private to this folder.
#pragma once

#include "libstore/explain/pins.h"

namespace saranga::store {

/// Fills Explanation::pages and ::large_files. Pages are read by `jobs`.
void explain_pages(const LoadedStore& store, const HolderFinder& finder, JobRunner& jobs,
                   FindingSink& sink, Explanation& out);

}  // namespace saranga::store
