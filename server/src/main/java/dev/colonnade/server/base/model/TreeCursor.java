package dev.colonnade.server.base.model;

import dev.colonnade.server.base.model.SortedTree.Branch;
import dev.colonnade.server.base.model.SortedTree.Leaf;
import dev.colonnade.server.base.model.SortedTree.TreeNode;
import org.jspecify.annotations.Nullable;

/** Walks a {@link SortedTree} from one position in one direction. For one thread. */
final class TreeCursor<E extends Position> {

  // Trees are at most this deep: 32 ^ 13 elements, with room for sparse ones.
  private static final int DEPTH_MAX = 24;

  private final boolean reversed;
  private final Branch[] path;
  private final int[] pathAt;
  private int depth;
  private Leaf leaf;
  private int at;

  TreeCursor(TreeNode root, Position from, boolean reversed, PathOrder order) {
    this.reversed = reversed;
    boolean single = root instanceof Leaf;
    this.path = single ? NO_PATH : new Branch[DEPTH_MAX];
    this.pathAt = single ? NO_STEPS : new int[DEPTH_MAX];
    TreeNode node = root;
    while (node instanceof Branch branch) {
      int child = branch.childFor(from, order);
      path[depth] = branch;
      pathAt[depth++] = child;
      node = branch.children[child];
    }
    leaf = (Leaf) node;
    int found = SortedTree.search(leaf.names(), from, order);
    if (found >= 0) {
      at = found;
    } else {
      at = reversed ? -found - 2 : -found - 1;
    }
  }

  private static final Branch[] NO_PATH = new Branch[0];
  private static final int[] NO_STEPS = new int[0];

  /** The next element, or null at the end. */
  @SuppressWarnings("unchecked") // a tree of E holds only E
  @Nullable E next() {
    while (at < 0 || at >= leaf.count()) {
      if (!nextLeaf()) {
        return null;
      }
    }
    Position item = leaf.item(at);
    at += reversed ? -1 : 1;
    return (E) item;
  }

  private boolean nextLeaf() {
    int step = reversed ? -1 : 1;
    while (depth > 0) {
      Branch branch = path[depth - 1];
      int child = pathAt[depth - 1] + step;
      if (child < 0 || child >= branch.children.length) {
        depth--;
        continue;
      }
      pathAt[depth - 1] = child;
      descend(branch.children[child]);
      return true;
    }
    return false;
  }

  private void descend(TreeNode from) {
    TreeNode node = from;
    while (node instanceof Branch branch) {
      int child = reversed ? branch.children.length - 1 : 0;
      path[depth] = branch;
      pathAt[depth++] = child;
      node = branch.children[child];
    }
    leaf = (Leaf) node;
    at = reversed ? leaf.count() - 1 : 0;
  }
}
