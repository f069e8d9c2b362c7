package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.commitlog.LogRecord;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import java.util.LinkedHashSet;
import java.util.Set;

/** A mutation on its way into the log. */
record MutationRecord(Mutation mutation) implements LogRecord {

  @Override
  public void encode(ByteWriter out) {
    MutationCodec.write(mutation, out);
  }

  @Override
  public Set<FamilyId> families() {
    if (mutation.updates().size() == 1) {
      return Set.of(mutation.updates().get(0).family());
    }
    Set<FamilyId> families = new LinkedHashSet<>();
    for (Mutation.FamilyMutation part : mutation.updates()) {
      families.add(part.family());
    }
    return families;
  }
}
