package dev.colonnade.server.service.status;

import dev.colonnade.internode.v1.DamagedFileFigures;
import dev.colonnade.internode.v1.FamilyFigures;
import dev.colonnade.internode.v1.FiguresRequest;
import dev.colonnade.internode.v1.FiguresResponse;
import dev.colonnade.internode.v1.MergeFigures;
import dev.colonnade.internode.v1.RepairFigures;
import dev.colonnade.internode.v1.SlowCallFigures;
import dev.colonnade.internode.v1.StageFigures;
import dev.colonnade.internode.v1.StreamFigures;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.service.status.NodeFigures.Calls;
import dev.colonnade.server.service.status.NodeFigures.DamagedFile;
import dev.colonnade.server.service.status.NodeFigures.Family;
import dev.colonnade.server.service.status.NodeFigures.Load;
import dev.colonnade.server.service.status.NodeFigures.Merge;
import dev.colonnade.server.service.status.NodeFigures.RepairWork;
import dev.colonnade.server.service.status.NodeFigures.Running;
import dev.colonnade.server.service.status.NodeFigures.SlowCall;
import dev.colonnade.server.service.status.NodeFigures.StageWork;
import dev.colonnade.server.service.status.NodeFigures.Transfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Encodes requests for figures, and figures, as messages of {@code internode.proto}. */
final class NodeFiguresCodec {

  /** What a node sends of each kind of work; a reader takes more. */
  static final int WORKS_SENT = 10;

  private static final int REQUEST_BYTES_MAX = 64;
  private static final int BYTES_MAX = 512 << 10;
  private static final int FIELDS_MAX = 8_192;
  private static final int TEXT_MAX = 600;
  private static final int BOUNDS_MAX = 64;

  private static final MessageParser<FiguresRequest> REQUEST =
      new MessageParser<>(
          "a request for figures", FiguresRequest.getDefaultInstance(), REQUEST_BYTES_MAX, 32);
  private static final MessageParser<FiguresResponse> RESPONSE =
      new MessageParser<>(
          "a node's figures", FiguresResponse.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);

  private NodeFiguresCodec() {}

  static byte[] encodeRequest(int familiesMax) {
    return FiguresRequest.newBuilder().setFamiliesMax(familiesMax).build().toByteArray();
  }

  /** The most families that are wanted. */
  static int decodeRequest(byte[] body) throws CorruptDataException {
    return (int)
        MessageParser.number(
            "families that are wanted",
            REQUEST.parse(body).getFamiliesMax(),
            1,
            NodeFigures.FAMILIES_MAX);
  }

  /** Encodes figures; texts are cut, and lists are shortened. */
  static byte[] encode(NodeFigures all, int familiesMax) {
    NodeFigures figures = all.shortened(familiesMax, WORKS_SENT);
    Load load = figures.load();
    FiguresResponse.Builder message =
        FiguresResponse.newBuilder()
            .setTimeMillis(figures.timeMillis())
            .setUpMillis(figures.upMillis())
            .setVersion(cut(figures.version()))
            .setReady(figures.ready())
            .setHeapUsedBytes(load.heapUsedBytes())
            .setHeapMaxBytes(load.heapMaxBytes())
            .setLoadBytes(load.loadBytes())
            .setWriteQueueBytes(load.writeQueueBytes())
            .setWritesDropped(load.writesDropped())
            .setCallsPending(load.callsPending())
            .setCallsDropped(load.callsDropped())
            .addAllBounds(figures.calls().bounds())
            .addAllCalls(figures.calls().buckets())
            .setFamiliesLeftOut(figures.familiesLeftOut())
            .setPendingRepairs(figures.running().pendingRepairs())
            .setSlowNanos(figures.slowNanos());
    figures.problems().forEach(each -> message.addProblems(cut(each)));
    figures.timestamps().forEach(each -> message.addTimestamps(cut(each)));
    figures.families().forEach(each -> message.addFamilies(encode(each)));
    figures.stages().forEach(each -> message.addStages(encode(each)));
    figures.running().merges().forEach(each -> message.addMerges(encode(each)));
    figures.running().streams().forEach(each -> message.addStreams(encode(each)));
    figures
        .running()
        .repair()
        .ifPresent(
            repair ->
                message.setRepair(
                    RepairFigures.newBuilder()
                        .setDone(repair.done())
                        .setTotal(repair.total())
                        .setDetail(cut(repair.detail()))));
    figures.slow().forEach(each -> message.addSlow(encode(each)));
    figures.damaged().forEach(each -> message.addDamaged(encode(each)));
    return message.build().toByteArray();
  }

  private static FamilyFigures.Builder encode(Family family) {
    return FamilyFigures.newBuilder()
        .setKeyspace(cut(family.keyspace()))
        .setName(cut(family.name()))
        .setReads(family.reads())
        .setWrites(family.writes())
        .setTombstones(family.tombstones())
        .setDiskBytes(family.diskBytes())
        .setFiles(family.files())
        .setPending(family.pending())
        .addAllCalls(family.calls());
  }

  private static StageFigures.Builder encode(StageWork stage) {
    return StageFigures.newBuilder()
        .setName(cut(stage.name()))
        .setActive(stage.active())
        .setPending(stage.pending())
        .setCompleted(stage.completed())
        .setDropped(stage.dropped())
        .setStillSeconds(stage.stillSeconds());
  }

  private static MergeFigures.Builder encode(Merge merge) {
    return MergeFigures.newBuilder()
        .setKeyspace(cut(merge.keyspace()))
        .setFamily(cut(merge.family()))
        .setFiles(merge.files())
        .setDoneBytes(merge.doneBytes())
        .setTotalBytes(merge.totalBytes());
  }

  private static StreamFigures.Builder encode(Transfer stream) {
    return StreamFigures.newBuilder()
        .setOutgoing(stream.outgoing())
        .setPeer(cut(stream.peer()))
        .setPurpose(cut(stream.purpose()))
        .setRows(stream.rows())
        .setBytes(stream.bytes())
        .setFileBytes(stream.fileBytes());
  }

  private static SlowCallFigures.Builder encode(SlowCall slow) {
    return SlowCallFigures.newBuilder()
        .setTimeMillis(slow.timeMillis())
        .setMethod(cut(slow.method()))
        .setKeyspace(cut(slow.keyspace()))
        .setFamily(cut(slow.family()))
        .setKey(cut(slow.key()))
        .setRows(slow.rows())
        .setLevel(cut(slow.level()))
        .setClient(cut(slow.client()))
        .setCode(cut(slow.code()))
        .setTrace(cut(slow.trace()))
        .setWork(cut(slow.work()))
        .setNanos(slow.nanos());
  }

  private static DamagedFileFigures.Builder encode(DamagedFile file) {
    return DamagedFileFigures.newBuilder()
        .setKeyspace(cut(file.keyspace()))
        .setFamily(cut(file.family()))
        .setNumber(file.number())
        .setSinceSeconds(file.sinceSeconds())
        .setReason(cut(file.reason()));
  }

  private static String cut(String text) {
    return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX);
  }

  static NodeFigures decode(byte[] body) throws CorruptDataException {
    FiguresResponse message = RESPONSE.parse(body);
    MessageParser.require("the time of figures", message.getTimeMillis() > 0);
    count("buckets", message.getBoundsCount(), BOUNDS_MAX);
    int buckets = message.getBoundsCount() + 1;
    count("column families", message.getFamiliesCount(), NodeFigures.FAMILIES_MAX);
    count("stages", message.getStagesCount(), NodeFigures.STAGES_MAX);
    return new NodeFigures(
        message.getTimeMillis(),
        figure(message.getUpMillis()),
        text(message.getVersion()),
        message.getReady(),
        texts("problems", message.getProblemsList()),
        texts("families with odd timestamps", message.getTimestampsList()),
        new Load(
            figure(message.getHeapUsedBytes()),
            figure(message.getHeapMaxBytes()),
            figure(message.getLoadBytes()),
            figure(message.getWriteQueueBytes()),
            figure(message.getWritesDropped()),
            figure(message.getCallsPending()),
            figure(message.getCallsDropped())),
        new Calls(bounds(message.getBoundsList()), counts(message.getCallsList(), buckets)),
        figure(message.getFamiliesLeftOut()),
        families(message.getFamiliesList(), buckets),
        stages(message.getStagesList()),
        new Running(
            merges(message.getMergesList()),
            streams(message.getStreamsList()),
            message.hasRepair() ? Optional.of(repair(message.getRepair())) : Optional.empty(),
            figure(message.getPendingRepairs())),
        figure(message.getSlowNanos()),
        slow(message.getSlowList()),
        damaged(message.getDamagedList()));
  }

  private static List<Double> bounds(List<Double> bounds) throws CorruptDataException {
    double last = 0;
    for (double bound : bounds) {
      if (!(bound > last && bound < Double.POSITIVE_INFINITY)) {
        throw CorruptDataException.inMessage("bounds of buckets", "ascending ones", "" + bound);
      }
      last = bound;
    }
    return bounds;
  }

  private static List<Long> counts(List<Long> counts, int buckets) throws CorruptDataException {
    if (!counts.isEmpty() && counts.size() != buckets) {
      throw CorruptDataException.inMessage(
          "calls", "none or " + buckets + " numbers", "" + counts.size());
    }
    for (long each : counts) {
      figure(each);
    }
    return counts;
  }

  private static List<Family> families(List<FamilyFigures> families, int buckets)
      throws CorruptDataException {
    List<Family> decoded = new ArrayList<>(families.size());
    for (FamilyFigures each : families) {
      decoded.add(
          new Family(
              name(each.getKeyspace()),
              name(each.getName()),
              figure(each.getReads()),
              figure(each.getWrites()),
              figure(each.getTombstones()),
              figure(each.getDiskBytes()),
              figure(each.getFiles()),
              figure(each.getPending()),
              counts(each.getCallsList(), buckets)));
    }
    return decoded;
  }

  private static List<StageWork> stages(List<StageFigures> stages) throws CorruptDataException {
    List<StageWork> decoded = new ArrayList<>(stages.size());
    for (StageFigures each : stages) {
      decoded.add(
          new StageWork(
              name(each.getName()),
              figure(each.getActive()),
              figure(each.getPending()),
              figure(each.getCompleted()),
              figure(each.getDropped()),
              figure(each.getStillSeconds())));
    }
    return decoded;
  }

  private static List<Merge> merges(List<MergeFigures> merges) throws CorruptDataException {
    count("merges", merges.size(), NodeFigures.WORKS_MAX);
    List<Merge> decoded = new ArrayList<>(merges.size());
    for (MergeFigures each : merges) {
      decoded.add(
          new Merge(
              name(each.getKeyspace()),
              name(each.getFamily()),
              figure(each.getFiles()),
              figure(each.getDoneBytes()),
              figure(each.getTotalBytes())));
    }
    return decoded;
  }

  private static List<Transfer> streams(List<StreamFigures> streams) throws CorruptDataException {
    count("streams", streams.size(), NodeFigures.WORKS_MAX);
    List<Transfer> decoded = new ArrayList<>(streams.size());
    for (StreamFigures each : streams) {
      decoded.add(
          new Transfer(
              each.getOutgoing(),
              text(each.getPeer()),
              text(each.getPurpose()),
              figure(each.getRows()),
              figure(each.getBytes()),
              figure(each.getFileBytes())));
    }
    return decoded;
  }

  private static RepairWork repair(RepairFigures repair) throws CorruptDataException {
    return new RepairWork(
        figure(repair.getDone()), figure(repair.getTotal()), text(repair.getDetail()));
  }

  private static List<SlowCall> slow(List<SlowCallFigures> slow) throws CorruptDataException {
    count("slow calls", slow.size(), NodeFigures.WORKS_MAX);
    List<SlowCall> decoded = new ArrayList<>(slow.size());
    for (SlowCallFigures each : slow) {
      decoded.add(
          new SlowCall(
              figure(each.getTimeMillis()),
              text(each.getMethod()),
              text(each.getKeyspace()),
              text(each.getFamily()),
              text(each.getKey()),
              figure(each.getRows()),
              text(each.getLevel()),
              text(each.getClient()),
              text(each.getCode()),
              text(each.getTrace()),
              text(each.getWork()),
              figure(each.getNanos())));
    }
    return decoded;
  }

  private static List<DamagedFile> damaged(List<DamagedFileFigures> files)
      throws CorruptDataException {
    count("damaged files", files.size(), NodeFigures.WORKS_MAX);
    List<DamagedFile> decoded = new ArrayList<>(files.size());
    for (DamagedFileFigures each : files) {
      decoded.add(
          new DamagedFile(
              name(each.getKeyspace()),
              name(each.getFamily()),
              figure(each.getNumber()),
              figure(each.getSinceSeconds()),
              text(each.getReason())));
    }
    return decoded;
  }

  private static List<String> texts(String what, List<String> texts) throws CorruptDataException {
    count(what, texts.size(), NodeFigures.WORKS_MAX);
    for (String each : texts) {
      text(each);
    }
    return texts;
  }

  private static String text(String text) throws CorruptDataException {
    return MessageParser.text("a text among figures", text, TEXT_MAX);
  }

  private static String name(String name) throws CorruptDataException {
    MessageParser.require("a name among figures", !name.isEmpty());
    return text(name);
  }

  private static long figure(long number) throws CorruptDataException {
    return MessageParser.number("a figure", number, 0, Long.MAX_VALUE);
  }

  private static void count(String what, int number, int most) throws CorruptDataException {
    MessageParser.number(what, number, 0, most);
  }
}
