// Lists, sets and maps of values, where they grow out of what stands in them.
#include <set>

#include <gtest/gtest.h>

#include <ids.hpp>

namespace ids_test {
namespace {

using namespace amdcompat::lift;

Ids count_to(Id end) {
  Ids out;
  for (Id id = 0; id < end; ++id) out.push_back(id);
  return out;
}

TEST(Ids, KeepWhatTheyHaveWhenTheyAreCopiedAndMoved) {
  for (const Id size : {0u, 1u, 4u, 5u, 9u, 100u}) {
    const Ids all = count_to(size);
    Ids copy = all;
    EXPECT_EQ(copy, all) << size;
    Ids moved = std::move(copy);
    EXPECT_EQ(moved, all) << size;
    for (const Id other : {0u, 3u, 7u}) {
      Ids assigned = count_to(other);
      assigned = all;
      EXPECT_EQ(assigned, all) << other << " to " << size;
      assigned = count_to(other);
      EXPECT_EQ(assigned, count_to(other)) << size << " to " << other;
    }
  }
}

TEST(Ids, InsertAndEraseInTheMiddle) {
  Ids ids{1, 2, 3};
  const Ids more = count_to(4);
  ids.insert(ids.begin() + 1, more.begin(), more.end());
  EXPECT_EQ(ids, (Ids{1, 0, 1, 2, 3, 2, 3}));
  ids.insert(ids.end() - 1, 9);
  EXPECT_EQ(ids, (Ids{1, 0, 1, 2, 3, 2, 9, 3}));
  ids.erase(ids.begin());
  ids.remove(9);
  ids.remove(77);
  EXPECT_EQ(ids, (Ids{0, 1, 2, 3, 2, 3}));
  EXPECT_TRUE(ids.contains(3));
  EXPECT_FALSE(ids.contains(9));
}

TEST(Seen, IsASetHoweverManyThereAre) {
  Seen seen;
  std::set<Id> all;
  for (Id n = 0; n < 5000; ++n) {
    const Id id = n * 2654435761u % 3001;
    EXPECT_EQ(seen.insert(id), all.insert(id).second) << n;
    EXPECT_EQ(seen.size(), all.size());
  }
}

TEST(ById, ForgetsAllAtOnceAndOneAlone) {
  ById<int> known;
  EXPECT_EQ(known.find(3), nullptr);
  known[3] = 7;
  known[1000] = 8;
  ASSERT_NE(known.find(3), nullptr);
  EXPECT_EQ(*known.find(3), 7);
  known.erase(3);
  EXPECT_FALSE(known.contains(3));
  EXPECT_EQ(known[1000], 8);
  known.clear();
  EXPECT_FALSE(known.contains(1000));
  EXPECT_EQ(known[1000], 0);
}

}  // namespace
}  // namespace ids_test
