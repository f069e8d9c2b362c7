package dev.colonnade.it.bench.layout;

import dev.colonnade.server.base.env.FileSystem;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/** Counts the reads and writes of a file system. Thread-safe. */
final class CountedFiles {

  private final LongAdder reads = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder bytesWritten = new LongAdder();

  /** The same files, counted here. */
  FileSystem counted(FileSystem files) {
    return wrapped(FileSystem.class, files);
  }

  FileCalls calls() {
    return new FileCalls(reads.sum(), bytesRead.sum(), writes.sum(), bytesWritten.sum());
  }

  private <T> T wrapped(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            CountedFiles.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              long bytes = remaining(arguments);
              Object result;
              try {
                result = method.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause() instanceof IOException io ? io : e.getCause();
              }
              if (type == FileSystem.ReadableFile.class && bytes >= 0) {
                if (!Boolean.FALSE.equals(result)) {
                  reads.increment();
                  bytesRead.add(bytes);
                }
              } else if (type == FileSystem.WritableFile.class && bytes >= 0) {
                writes.increment();
                bytesWritten.add(bytes);
              } else if (result instanceof FileSystem.ReadableFile file) {
                return wrapped(FileSystem.ReadableFile.class, file);
              } else if (result instanceof FileSystem.WritableFile file) {
                return wrapped(FileSystem.WritableFile.class, file);
              }
              return result;
            }));
  }

  /** What a call will move; negative if it moves nothing. */
  private static long remaining(Object[] arguments) {
    if (arguments != null) {
      for (Object argument : arguments) {
        if (argument instanceof ByteBuffer buffer) {
          return buffer.remaining();
        }
      }
    }
    return -1;
  }
}
