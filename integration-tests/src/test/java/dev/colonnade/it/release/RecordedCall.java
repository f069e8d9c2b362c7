package dev.colonnade.it.release;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A call of the contract, as text.
 *
 * @param node which one is called
 * @param method the full name of a method; a word without a slash is for the player of the calls
 * @param times how often, with the numbers from {@value #FIRST_NUMBER} on in place of {@code %d}
 * @param request protobuf's text
 * @param answers protobuf's text of what is to come back; empty if that is not known
 */
record RecordedCall(String node, String method, int times, String request, String answers) {

  /** All numbers have two digits. */
  private static final int FIRST_NUMBER = 10;

  private static final long LIMIT_SECONDS = 60;
  private static final String ANSWERS = "=>";

  /** Fields that differ from run to run. Those that a later release adds to answers belong here. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "address",
          "client_port",
          "directory",
          "expires_at_seconds",
          "freed_bytes",
          "schema_version",
          "stats",
          "token");

  private static final Map<String, MethodDescriptor<Message, Message>> METHODS =
      Stream.of(
              ColumnStoreServiceGrpc.getServiceDescriptor(),
              SchemaServiceGrpc.getServiceDescriptor(),
              NodeServiceGrpc.getServiceDescriptor(),
              SearchServiceGrpc.getServiceDescriptor(),
              AccountServiceGrpc.getServiceDescriptor())
          .map(ServiceDescriptor::getMethods)
          .flatMap(methods -> methods.stream().map(RecordedCall::ofMessages))
          .collect(
              Collectors.toMap(
                  MethodDescriptor::getFullMethodName,
                  Function.identity(),
                  (one, other) -> one,
                  TreeMap::new));

  private static MethodDescriptor<Message, Message> ofMessages(MethodDescriptor<?, ?> method) {
    return MethodDescriptor.newBuilder(
            ProtoUtils.marshaller(prototype(method.getRequestMarshaller())),
            ProtoUtils.marshaller(prototype(method.getResponseMarshaller())))
        .setType(method.getType())
        .setFullMethodName(method.getFullMethodName())
        .build();
  }

  private static Message prototype(MethodDescriptor.Marshaller<?> marshaller) {
    return (Message)
        Objects.requireNonNull(((PrototypeMarshaller<?>) marshaller).getMessagePrototype());
  }

  /** The calls of a file. */
  static List<RecordedCall> read(Path file) throws IOException {
    List<RecordedCall> calls = new ArrayList<>();
    String text = Files.readString(file).replaceAll("(?m)^#.*\\n", "");
    for (String block : text.strip().split("\\n\\n+", -1)) {
      String[] lines = block.split("\\n", 2);
      String[] heading = lines[0].split(" ", -1);
      String[] body = (lines.length == 1 ? "" : lines[1]).split("(?m)^" + ANSWERS + "$", 2);
      calls.add(
          new RecordedCall(
              heading[0],
              heading[1],
              heading.length == 2 ? 1 : Integer.parseInt(heading[2].substring(1)),
              body[0].strip(),
              body.length == 1 ? "" : body[1].strip()));
    }
    return List.copyOf(calls);
  }

  /** Makes it; returns the answers without the fields that differ from run to run. */
  List<Message> make(Channel channel) throws IOException {
    MethodDescriptor<Message, Message> descriptor = descriptor();
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
    List<Message> all = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      Message asked =
          parsed(
              prototype(descriptor.getRequestMarshaller()),
              request.replace("%d", Integer.toString(FIRST_NUMBER + i)));
      if (descriptor.getType() == MethodDescriptor.MethodType.UNARY) {
        all.add(withoutLeftOut(ClientCalls.blockingUnaryCall(channel, descriptor, options, asked)));
      } else {
        Iterator<Message> stream =
            ClientCalls.blockingServerStreamingCall(channel, descriptor, options, asked);
        stream.forEachRemaining(message -> all.add(withoutLeftOut(message)));
      }
    }
    return all;
  }

  /** The answers that it had when it was recorded. */
  List<Message> recorded() throws IOException {
    List<Message> all = new ArrayList<>();
    for (String answer : answers.split("(?m)^" + ANSWERS + "$", -1)) {
      all.add(withoutLeftOut(parsed(prototype(descriptor().getResponseMarshaller()), answer)));
    }
    return all;
  }

  /** The same call with its answers. */
  String withAnswers(List<Message> came) {
    StringBuilder text = new StringBuilder(node).append(' ').append(method).append('\n');
    if (!request.isEmpty()) {
      text.append(request).append('\n');
    }
    for (Message answer : came) {
      text.append(ANSWERS).append('\n').append(TextFormat.printer().printToString(answer));
    }
    return text.toString();
  }

  private MethodDescriptor<Message, Message> descriptor() {
    return Objects.requireNonNull(METHODS.get(method), method);
  }

  private static Message parsed(Message prototype, String text) throws IOException {
    Message.Builder message = prototype.newBuilderForType();
    TextFormat.merge(text, message);
    return message.build();
  }

  private static Message withoutLeftOut(Message message) {
    Message.Builder left = message.toBuilder();
    for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
      FieldDescriptor name = field.getKey();
      if (LEFT_OUT.contains(name.getName())) {
        left.clearField(name);
      } else if (name.getJavaType() == FieldDescriptor.JavaType.MESSAGE && name.isRepeated()) {
        for (int i = 0; i < message.getRepeatedFieldCount(name); i++) {
          left.setRepeatedField(
              name, i, withoutLeftOut((Message) message.getRepeatedField(name, i)));
        }
      } else if (name.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        left.setField(name, withoutLeftOut((Message) field.getValue()));
      }
    }
    return left.build();
  }
}
