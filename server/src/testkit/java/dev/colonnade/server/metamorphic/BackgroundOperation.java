package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.schema.FamilyField;
import java.time.Duration;
import java.util.List;

/** What is done to a store besides reading and writing. */
final class BackgroundOperation {

  private BackgroundOperation() {}

  record Flush(Families.Shape family) implements Operation {
    @Override
    public List<Object> run(Target target) {
      target.flush(family);
      return List.of();
    }
  }

  /** All files into one. */
  record Compact(Families.Shape family) implements Operation {
    @Override
    public List<Object> run(Target target) {
      target.compact(family);
      return List.of();
    }
  }

  record Truncate(Families.Shape family) implements Operation {
    @Override
    public List<Object> run(Target target) {
      target.truncate(family);
      return List.of();
    }
  }

  /** Drops a family and makes one of the same name. */
  record Recreate(Families.Shape family) implements Operation {
    @Override
    public List<Object> run(Target target) {
      target.recreate(family);
      return List.of();
    }
  }

  /** Changes the definition of a family. */
  record Change(Families.Shape family, FamilyField field, String value) implements Operation {
    @Override
    public List<Object> run(Target target) {
      target.change(family, field, value);
      return List.of();
    }
  }

  record Restart(Target.Restart how) implements Operation {
    @Override
    public List<Object> run(Target target) throws Exception {
      target.restart(how);
      return List.of();
    }
  }

  record Pass(int seconds) implements Operation {
    @Override
    public List<Object> run(Target target) {
      target.pass(Duration.ofSeconds(seconds));
      return List.of();
    }
  }
}
