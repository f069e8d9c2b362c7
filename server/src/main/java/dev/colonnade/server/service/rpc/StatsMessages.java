package dev.colonnade.server.service.rpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.GetStatsResponse;
import dev.colonnade.admin.v1.MessageStats;
import dev.colonnade.admin.v1.QuarantineContents;
import dev.colonnade.admin.v1.StageStats;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.cluster.net.VerbFigures;
import dev.colonnade.server.service.admin.FamilyLoad;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.engine.QuarantinedFile;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Converts a node's figures to messages of the contract. */
final class StatsMessages {

  /** Each figure goes to the field of its name, so no other table maps them. */
  private static final Map<FamilyFigure, FieldDescriptor> FAMILY_FIELDS = familyFields();

  private StatsMessages() {}

  private static Map<FamilyFigure, FieldDescriptor> familyFields() {
    Map<FamilyFigure, FieldDescriptor> fields = new EnumMap<>(FamilyFigure.class);
    for (FamilyFigure figure : FamilyFigure.values()) {
      FieldDescriptor field =
          ColumnFamilyStats.getDescriptor().findFieldByName(figure.figureName());
      if (field == null) {
        throw new IllegalStateException("ColumnFamilyStats has no field for " + figure);
      }
      fields.put(figure, field);
    }
    return fields;
  }

  static GetStatsResponse page(NodeOperations operations, AnswerPages page) {
    GetStatsResponse.Builder response = GetStatsResponse.newBuilder();
    if (page.isFirst()) {
      operations.stages().forEach(stage -> response.addStages(stage(stage)));
      operations.messages().forEach(verb -> response.addMessages(message(verb)));
    }
    return response
        .setNextPageToken(
            page.fill(operations.families(), StatsMessages::key, family -> add(response, family)))
        .build();
  }

  private static String key(FamilyLoad family) {
    return AnswerPages.key(family.keyspace(), family.name());
  }

  private static int add(GetStatsResponse.Builder response, FamilyLoad family) {
    ColumnFamilyStats stats = family(family);
    response.addColumnFamilies(stats);
    int bytes = stats.getSerializedSize();
    for (QuarantinedFile file : family.figures().quarantined()) {
      var message = quarantined(family, file);
      response.addQuarantinedFiles(message);
      bytes += message.getSerializedSize();
    }
    return bytes;
  }

  private static StageStats stage(Scheduler.StageFigures stage) {
    return StageStats.newBuilder()
        .setName(stage.stage().name().toLowerCase(Locale.ROOT))
        .setActive(stage.active())
        .setPending(stage.pending())
        .setCompleted(stage.completed())
        .setDropped(stage.rejected())
        .setStillMillis(stage.still().toMillis())
        .build();
  }

  private static MessageStats message(VerbFigures verb) {
    return MessageStats.newBuilder()
        .setVerb(verb.verb().name())
        .setSent(verb.sent())
        .setReceived(verb.received())
        .setDropped(verb.dropped())
        .setTimedOut(verb.timedOut())
        .setCancelled(verb.cancelled())
        .setFailed(verb.failed())
        .setLatencyMicros(verb.meanMicros())
        .build();
  }

  private static ColumnFamilyStats family(FamilyLoad family) {
    ColumnFamilyStats.Builder stats =
        ColumnFamilyStats.newBuilder().setKeyspace(family.keyspace()).setName(family.name());
    FAMILY_FIELDS.forEach(
        (figure, field) -> {
          Object value =
              switch (field.getJavaType()) {
                case INT -> (int) Math.min(Integer.MAX_VALUE, family.figures().count(figure));
                case LONG -> family.figures().count(figure);
                default -> family.figures().value(figure);
              };
          stats.setField(field, value);
        });
    return stats.build();
  }

  private static dev.colonnade.admin.v1.QuarantinedFile quarantined(
      FamilyLoad family, QuarantinedFile file) {
    return dev.colonnade.admin.v1.QuarantinedFile.newBuilder()
        .setKeyspace(family.keyspace())
        .setColumnFamily(family.name())
        .setNumber(file.number())
        .setPath(file.path())
        .setOffset(file.offset())
        .setReason(file.reason())
        .setSinceSeconds(file.sinceSeconds())
        .setRowsKnown(file.rowsKnown())
        .setContents(
            switch (file.contents()) {
              case ROWS -> QuarantineContents.QUARANTINE_CONTENTS_ROWS;
              case LOGGED_RECORDS -> QuarantineContents.QUARANTINE_CONTENTS_LOGGED_RECORDS;
              case REFUSED_RECORDS -> QuarantineContents.QUARANTINE_CONTENTS_REFUSED_RECORDS;
            })
        .setRecords(file.records())
        .build();
  }
}
