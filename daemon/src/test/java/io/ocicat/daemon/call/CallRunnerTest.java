package io.ocicat.daemon.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.BootId;
import io.ocicat.base.Deadline;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.exec.PluginStdin;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.daemon.liveness.CniFolders;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.DaemonState;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.RecordFolder;
import io.ocicat.daemon.state.StateFolders;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One call after the other, with a plugin of the test's own: no process, no shim, no kernel. */
class CallRunnerTest {
  private static final String NAME = "scripted";

  private final ScriptedPlugin plugin = new ScriptedPlugin();
  @TempDir private Path directory;
  private DaemonState state;
  private boolean daemonRuns = true;
  private CallRunner runner;
  private long clock = 1000;

  @BeforeEach
  void start() {
    StateFolders folders = new StateFolders(directory.resolve("run"), directory.resolve("state"));
    folders.create();
    state = new DaemonState(folders, BootId.current());
    runner =
        new CallRunner(
            state,
            PluginExecutables.of(Map.of(NAME, plugin)),
            () -> daemonRuns,
            new CniFolders(directory.resolve("cache"), directory.resolve("conf")),
            Clock.systemUTC());
  }

  private static String config(String network) {
    return "{\"cniVersion\":\"1.1.0\",\"name\":\"%s\",\"type\":\"%s\"}".formatted(network, NAME);
  }

  /** Every call is of a caller that was started after the one before. */
  private PluginCall call(String verb, String container, String config) {
    return call(verb, container, config, ++clock, Map.of());
  }

  private PluginCall call(
      String verb, String container, String config, long started, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>();
    environment.put("CNI_COMMAND", verb);
    environment.put("CNI_CONTAINERID", container);
    environment.put("CNI_IFNAME", "eth0");
    environment.put("CNI_NETNS", "/run/netns/no-such-namespace");
    environment.put("CNI_PATH", "/opt/cni/bin");
    environment.put("OCICAT_UNRELATED", "x");
    environment.putAll(more);
    return new PluginCall(
        NAME,
        plugin,
        environment,
        PluginStdin.of(config.getBytes(UTF_8)),
        Namespaces.OWN,
        NamespaceId.own(),
        NamespaceId.NONE,
        Deadline.in(Duration.ofSeconds(20)),
        started);
  }

  /** For a caller that waits for its reply. */
  private PluginReply run(PluginCall call) {
    return runner.run(call, () -> false);
  }

  private PluginReply add(String container) {
    return run(call("ADD", container, config("blue")));
  }

  private PluginReply del(String container) {
    return run(call("DEL", container, config("blue")));
  }

  private static Optional<FailureReason> reason(PluginReply reply) {
    return reply.failure().orElseThrow().reason();
  }

  private static List<CallRecord> records(RecordFolder folder) {
    return folder.list().stream().map(RecordFolder.Kept::record).toList();
  }

  @Test
  void anAddIsInTheJournalWhileItRunsAndAmongTheAttachmentsAfterwards() {
    List<CallRecord> during = new ArrayList<>();
    plugin.duringAdd = () -> during.addAll(records(state.journal()));

    PluginReply reply = add("c1");

    assertThat(reply.exitCode()).isZero();
    assertThat(during).singleElement().satisfies(it -> assertThat(it.result()).isEmpty());
    assertThat(state.journal().names()).isEmpty();
    CallRecord record = records(state.attachments()).getFirst();
    assertThat(record.network()).isEqualTo("blue");
    assertThat(record.plugin()).isEqualTo(NAME);
    assertThat(record.isAdd()).isTrue();
    assertThat(record.environment()).containsKey("CNI_PATH").doesNotContainKey("OCICAT_UNRELATED");
    assertThat(record.result()).isEqualTo(reply.stdout());
  }

  @Test
  void secretsAreNotRecorded() {
    String config = config("blue").replaceFirst("\\{", "{\"token\":\"s3cret\",");
    run(call("ADD", "c1", config, ++clock, Map.of("ETCD_KEY", "s3cret", "ETCD_ENDPOINTS", "e")));

    CallRecord record = records(state.attachments()).getFirst();
    assertThat(new String(record.stdin(), UTF_8)).doesNotContain("s3cret").contains("blue");
    assertThat(record.environment()).containsEntry("ETCD_ENDPOINTS", "e");
    assertThat(record.environment()).doesNotContainKey("ETCD_KEY");
  }

  @Test
  void aFailedAddLeavesNoRecordAndItsErrorIsTheException() {
    plugin.addFailure =
        new CniException(ErrorCode.TRY_AGAIN_LATER, "pool is empty")
            .because(FailureReason.ADDRESSES_EXHAUSTED);

    PluginReply reply = add("c1");

    assertThat(reason(reply)).contains(FailureReason.ADDRESSES_EXHAUSTED);
    assertThat(reply.failure().orElseThrow()).hasCause(plugin.addFailure);
    assertThat(new String(reply.stdout(), UTF_8)).contains("pool is empty", "\"1.1.0\"");
    assertThat(state.journal().names()).isEmpty();
    assertThat(state.attachments().names()).isEmpty();
  }

  @Test
  void aCallerThatIsGoneGetsNothingAdded() {
    PluginReply reply = runner.run(call("ADD", "c1", config("blue")), () -> true);

    assertThat(reason(reply)).contains(FailureReason.CALLER_GONE);
    assertThat(plugin.calls).isEmpty();
  }

  @Test
  void whatWasAddedForACallerThatLeftMeanwhileIsUndone() {
    AtomicInteger asked = new AtomicInteger();
    PluginReply reply =
        runner.run(call("ADD", "c1", config("blue")), () -> asked.incrementAndGet() > 1);

    assertThat(reason(reply)).contains(FailureReason.CALLER_GONE);
    assertThat(plugin.calls).containsExactly("ADD blue/c1", "DEL blue/c1");
    assertThat(state.journal().names()).isEmpty();
    assertThat(state.attachments().names()).isEmpty();
  }

  @Test
  void whatCouldNotBeUndoneStaysInTheJournal() {
    plugin.delFailure = new CniException(ErrorCode.IO_FAILURE, "disk full");
    AtomicInteger asked = new AtomicInteger();
    runner.run(call("ADD", "c1", config("blue")), () -> asked.incrementAndGet() > 1);

    assertThat(state.journal().names()).hasSize(1);
  }

  @Test
  void anAddThatWasNotAnsweredIsUndoneButNoEarlierOne() {
    long before = System.nanoTime();
    add("c1");
    PluginCall late = call("ADD", "c1", config("blue"));

    runner.undoUnanswered(late, System.nanoTime());
    assertThat(state.attachments().names()).hasSize(1);
    runner.undoUnanswered(late, before);
    assertThat(state.attachments().names()).isEmpty();
    assertThat(plugin.calls).containsExactly("ADD blue/c1", "DEL blue/c1");
  }

  @Test
  void anAddThatADelOvertookIsRefused() {
    PluginCall overtaken = call("ADD", "c1", config("blue"));
    del("c1");

    assertThat(reason(run(overtaken))).contains(FailureReason.DELETED_MEANWHILE);
    assertThat(runner.lateAdds()).isEqualTo(1);
    assertThat(plugin.calls).containsExactly("DEL blue/c1");
    assertThat(add("c1").exitCode()).isZero();
    assertThat(add("c2").exitCode()).isZero();
    assertThat(runner.lateAdds()).isEqualTo(1);
  }

  @Test
  void tombstonesKeepTheNewestDelOfAnAttachment() {
    Tombstones tombstones = new Tombstones();
    AttachmentKey key = call("ADD", "c1", config("blue")).key().orElseThrow();
    tombstones.put(key, 10);
    tombstones.put(key, 5);

    assertThat(tombstones.isLate(key, 9)).isTrue();
    assertThat(tombstones.isLate(key, 10)).isFalse();
    assertThat(tombstones.hits()).isEqualTo(1);
  }

  @Test
  void noAddBeginsWhileTheMachineGoesDown() {
    runner.refuseAdds();

    assertThat(reason(add("c1"))).contains(FailureReason.SHUTTING_DOWN);
    assertThat(del("c1").exitCode()).isZero();
  }

  @Test
  void aDelThatFailsForNowIsPromisedIfSomebodyWillKeepThePromise() {
    add("c1");
    plugin.delFailure = new CniException(ErrorCode.TRY_AGAIN_LATER, "etcd is away");

    PluginReply promised = del("c1");
    assertThat(promised.exitCode()).isZero();
    assertThat(promised.stdout()).isEmpty();
    assertThat(promised.stderr()).isEqualTo("ocicat: DEL will be finished later: etcd is away\n");
    assertThat(records(state.spool())).singleElement().matches(it -> !it.isAdd());

    daemonRuns = false;
    assertThat(del("c1").failure().orElseThrow().msg()).isEqualTo("etcd is away");
  }

  @Test
  void aDelThatIsWrongIsNeverPromised() {
    add("c1");
    plugin.delFailure = new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "subnet is no CIDR");

    assertThat(del("c1").exitCode()).isEqualTo(1);
    assertThat(state.spool().names()).isEmpty();
    assertThat(state.attachments().names()).hasSize(1);
  }

  @Test
  void afterAnAddWithoutEffectThereIsNothingToDelete() {
    plugin.addFailure = new CniException(ErrorCode.TRY_AGAIN_LATER, "etcd is away");
    plugin.delFailure = plugin.addFailure;
    add("c1");

    PluginReply reply = del("c1");
    assertThat(reply.exitCode()).isZero();
    assertThat(reply.stderr()).contains("DEL has nothing to do");
    assertThat(state.spool().names()).isEmpty();
  }

  @Test
  void whatAKilledCallLeftIsUndoneBeforeTheNextAdd() {
    PluginCall killed = call("ADD", "c1", config("blue"));
    CallJournal journal = new CallJournal(state, Clock.systemUTC());
    AttachmentKey key = killed.key().orElseThrow();
    state.journal().write(journal.nameForAdd(killed, key), journal.record(killed));

    plugin.delFailure = new CniException(ErrorCode.IO_FAILURE, "disk full");
    PluginReply refused = add("c1");
    assertThat(refused.failure().orElseThrow().details()).isEqualTo("disk full");
    assertThat(plugin.calls).containsExactly("DEL blue/c1");

    plugin.delFailure = null;
    assertThat(add("c1").exitCode()).isZero();
    assertThat(plugin.calls).containsExactly("DEL blue/c1", "DEL blue/c1", "ADD blue/c1");
    assertThat(state.journal().names()).isEmpty();
  }

  @Test
  void aRepeatedCallUndoesWhatItsFirstTryCommitted() {
    Map<String, String> id = Map.of("OCICAT_CALL_ID", "7");
    run(call("ADD", "c1", config("blue"), ++clock, id));
    Map<String, String> again = Map.of("OCICAT_CALL_ID", "7", "OCICAT_CALL_AGAIN", "1");
    run(call("ADD", "c1", config("blue"), ++clock, again));

    assertThat(plugin.calls).containsExactly("ADD blue/c1", "DEL blue/c1", "ADD blue/c1");
    assertThat(state.attachments().names()).hasSize(1);
  }

  @Test
  void twoPluginsOfOneTypeInAChainHaveARecordEach() {
    String first = config("blue");
    String second = first.replaceFirst("\\{", "{\"mtu\":1400,");
    run(call("ADD", "c1", first));
    run(call("ADD", "c1", second));
    assertThat(state.attachments().names()).hasSize(2);

    run(call("DEL", "c1", second));
    assertThat(records(state.attachments()))
        .singleElement()
        .satisfies(it -> assertThat(new String(it.stdin(), UTF_8)).isEqualTo(first));
    String changed = first.replaceFirst("\\{", "{\"mtu\":1500,");
    run(call("DEL", "c1", changed));
    assertThat(state.attachments().names()).isEmpty();
  }

  @Test
  void whatTheRuntimeAddsForOneCallDoesNotMakeItAnotherPlugin() {
    String again =
        config("blue")
            .replaceFirst("\\{", "{\"runtimeConfig\":{},\"prevResult\":{},\"cni.dev/x\":1,");
    add("c1");
    run(call("ADD", "c1", again));

    assertThat(state.attachments().names()).hasSize(1);
  }

  @Test
  void gcUndoesTheRecordsThatItsNetworkNoLongerLists() {
    add("kept");
    add("stale");
    run(call("ADD", "other", config("red")));
    plugin.calls.clear();
    String valid =
        "{\"cni.dev/valid-attachments\":[{\"containerID\":\"kept\",\"ifname\":\"eth0\"}],";

    PluginReply reply = run(call("GC", "", config("blue").replaceFirst("\\{", valid)));

    assertThat(reply.exitCode()).isZero();
    assertThat(plugin.calls).containsExactly("DEL blue/stale");
    assertThat(records(state.attachments()))
        .extracting(record -> record.key().orElseThrow().containerId())
        .containsExactlyInAnyOrder("kept", "other");
  }

  @Test
  void gcWithoutAListUndoesNothing() {
    add("c1");
    plugin.calls.clear();

    assertThat(run(call("GC", "", config("blue"))).exitCode()).isZero();
    assertThat(plugin.calls).isEmpty();
    assertThat(state.attachments().names()).hasSize(1);
  }

  @Test
  void aRequestThatCannotBeReadIsThePluginsErrorAndNoRecordStays() {
    PluginReply reply = run(call("ADD", "c1", "{\"name\":"));

    assertThat(reply.failure().orElseThrow().code()).isEqualTo(ErrorCode.DECODING_FAILURE);
    assertThat(plugin.calls).isEmpty();
    assertThat(state.journal().names()).isEmpty();
  }
}
