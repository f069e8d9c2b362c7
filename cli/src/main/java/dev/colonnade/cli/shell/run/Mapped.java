package dev.colonnade.cli.shell.run;

import java.util.Iterator;
import java.util.function.Function;

/** What a function makes of each element, as they come. */
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
