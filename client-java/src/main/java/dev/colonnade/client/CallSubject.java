package dev.colonnade.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.colonnade.v1.RequestStats;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a request is about, read from the fields that all messages of the contract name alike.
 *
 * @param columnFamily empty for none, and for several
 */
record CallSubject(Optional<String> keyspace, Optional<String> columnFamily) {

  static final CallSubject NONE = new CallSubject(Optional.empty(), Optional.empty());

  private static final List<String> PATHS = List.of("column_parent", "column_path");

  static CallSubject of(@Nullable Object request) {
    if (!(request instanceof Message message)) {
      return NONE;
    }
    return new CallSubject(text(message, "keyspace"), family(message));
  }

  private static Optional<String> family(Message message) {
    Optional<String> own = text(message, "column_family").or(() -> text(message, "index"));
    for (String path : PATHS) {
      if (own.isEmpty() && value(message, path) instanceof Message within) {
        own = text(within, "column_family");
      }
    }
    if (own.isEmpty() && value(message, "rows") instanceof List<?> rows) {
      List<String> families =
          rows.stream()
              .filter(Message.class::isInstance)
              .flatMap(row -> text((Message) row, "column_family").stream())
              .distinct()
              .limit(2)
              .collect(Collectors.toList());
      own = families.size() == 1 ? Optional.of(families.get(0)) : Optional.empty();
    }
    return own;
  }

  private static Optional<String> text(Message message, String field) {
    return value(message, field) instanceof String text && !text.isEmpty()
        ? Optional.of(text)
        : Optional.empty();
  }

  private static @Nullable Object value(Message message, String name) {
    FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
    return field == null ? null : message.getField(field);
  }

  /** What the node says an answer cost; empty if it does not. */
  static Optional<CallStatistics> cost(@Nullable Object answer) {
    if (answer instanceof AnswerPart part) {
      return Optional.ofNullable(part.stats()).map(CallStatistics::of);
    }
    if (!(answer instanceof Message message)) {
      return Optional.empty();
    }
    FieldDescriptor field = message.getDescriptorForType().findFieldByName("stats");
    return field != null
            && !field.isRepeated()
            && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
            && message.hasField(field)
            && message.getField(field) instanceof RequestStats stats
        ? Optional.of(CallStatistics.of(stats))
        : Optional.empty();
  }
}
