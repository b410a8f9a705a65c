// What a store holds besides messages and the queues that they are on: the records that an archive
// keeps as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "saranga/store/loader.h"

namespace saranga::store {

/// Gets a record; it is valid during the call.
using KeptRecordVisitor = std::function<void(const journal::Record& record)>;

/// Visits every record of the bindings journal that survives a load, in load order. Records that
/// cannot be read again go to `sink`. Errors are failures to list the folder.
[[nodiscard]] SARANGA_API Result<void> visit_binding_records(const LoadedStore& store,
                                                             const KeptRecordVisitor& visitor,
                                                             FindingSink& sink);

/// Visits the surviving records of the message journal that stand for themselves, in load order:
/// duplicate ids, heuristic outcomes, acknowledgements to be tried again, and whatever has an
/// unknown type. Those about messages, their queues and pages are not among them.
SARANGA_API void visit_standing_records(const LoadedStore& store, const KeptRecordVisitor& visitor,
                                        FindingSink& sink);

/// The types of the records that visit_standing_records() would visit, each as often as there are
/// such records. Nothing is read for it.
[[nodiscard]] SARANGA_API std::map<std::int8_t, std::uint64_t> count_standing_records(
    const LoadedStore& store);

/// Visits the records of a prepared transaction that visit_standing_records() would visit if it had
/// been committed, and its deletes.
SARANGA_API void visit_standing_records(const LoadedStore& store,
                                        const PreparedTransaction& transaction,
                                        const KeptRecordVisitor& visitor, FindingSink& sink);

/// Hands on the record that prepares a transaction; its body is the XID
/// (docs/format/messages.md#xid).
SARANGA_API void visit_prepare(const LoadedStore& store, const PreparedTransaction& transaction,
                               const KeptRecordVisitor& visitor, FindingSink& sink);

}  // namespace saranga::store
