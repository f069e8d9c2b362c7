package dev.colonnade.server.sim.cluster;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.colonnade.admin.v1.GetStatsResponse;
import dev.colonnade.v1.RequestStats;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The figures that answers of the contract hold: each field that is a number or a duration, in each
 * message that an answer can hold, and each field of what is called stats.
 */
final class ContractFigures {

  /** What repeats what a caller wrote or defined, where a node is reached, or what it is set to. */
  private static final Set<String> NO_FIGURES =
      Set.of(
          "Column",
          "SuperColumn",
          "ColumnOrSuperColumn",
          "KeySlice",
          "KeyspaceDef",
          "ColumnFamilyDef",
          "MemtableLimits",
          "Endpoint",
          "GossipEntry.peer_port",
          "Snapshot.client_port",
          "NodeFailure.client_port",
          "ColumnFamilyStats.keyspace",
          "ColumnFamilyStats.name",
          "MutateOutcome.sequence",
          "SessionAnswer.id",
          "SessionLimits");

  private final Set<String> names = new TreeSet<>();
  private final Set<Descriptor> seen = new HashSet<>();

  private ContractFigures() {}

  /** Their names, as {@code StageStats.active}. */
  static Set<String> names() {
    ContractFigures figures = new ContractFigures();
    for (FileDescriptor file :
        List.of(
            RequestStats.getDescriptor().getFile(), GetStatsResponse.getDescriptor().getFile())) {
      for (ServiceDescriptor service : file.getServices()) {
        for (MethodDescriptor method : service.getMethods()) {
          figures.addAll(method.getOutputType());
        }
      }
    }
    return figures.names;
  }

  private void addAll(Descriptor message) {
    if (NO_FIGURES.contains(message.getName()) || !seen.add(message)) {
      return;
    }
    for (FieldDescriptor field : message.getFields()) {
      String name = message.getName() + "." + field.getName();
      if (isFigure(field) && !NO_FIGURES.contains(name)) {
        names.add(name);
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField()) {
        addAll(field.getMessageType());
      }
    }
  }

  private static boolean isFigure(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case INT, LONG, FLOAT, DOUBLE -> true;
      case MESSAGE -> field.getMessageType().getFullName().equals("google.protobuf.Duration");
      case STRING -> field.getContainingType().getName().equals("RequestStats");
      case BOOLEAN, BYTE_STRING, ENUM -> false;
    };
  }
}
