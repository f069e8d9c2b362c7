package dev.colonnade.cli.shell.run;

import java.util.Iterator;
import java.util.function.Function;

/** Applies a function to each element as it arrives. */
record Mapped<A, B>(Iterator<A> source, Function<A, B> function) implements Iterator<B> {

  @Override
  public boolean hasNext() {
    return source.hasNext();
  }

  @Override
  public B next() {
    return function.apply(source.next());
  }
}
