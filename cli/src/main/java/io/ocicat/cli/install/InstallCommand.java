package io.ocicat.cli.install;

import io.ocicat.cli.options.ConfDirOption;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.daemon.state.StateFolders;
import io.ocicat.netlink.linux.FileLock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ocicat install}: puts the plugins where runtimes look for them. */
@Command(
    name = "install",
    description = "Put the plugins where container runtimes look for them.",
    footer = {
      "",
      "Each file takes its place by a rename, so that calls under way are not disturbed. What was"
          + " put where is kept in <state directory>/installed.json, by which \"ocicat uninstall\""
          + " finds it again. The command may be repeated: it updates what is older and leaves what"
          + " is right, also after it was killed.",
      "",
      "Without --prefix the plugins go on using this folder, which then has to stay where it is.",
      "",
      "Example: ocicat install --prefix /opt --systemd"
    },
    mixinStandardHelpOptions = true)
public final class InstallCommand implements Callable<Integer> {
  private static final Path SYSTEMD = Path.of("/run/systemd/system");
  private static final Path UNITS = Path.of("/etc/systemd/system");
  private static final String ENABLE =
      "systemctl daemon-reload && systemctl enable --now ocicat.socket ocicat.service";
  private static final Duration LOCK_LIMIT = Duration.ofSeconds(30);

  private static final Path SERVICE_ACCOUNT =
      Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  private final Map<String, String> environment;
  private final StateFolders folders;
  private final Optional<Path> home;
  private final String release;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--bin-dir",
      paramLabel = "DIR",
      defaultValue = "/opt/cni/bin",
      description = "Where runtimes look for plugins (default: ${DEFAULT-VALUE}).")
  private Path binDirectory = Path.of("/opt/cni/bin");

  @Mixin private ConfDirOption conf = new ConfDirOption();

  @Option(
      names = "--conflist",
      paramLabel = "FILE",
      description =
          "A network to put there, under the same name and for root alone, once the daemon serves"
              + " calls.")
  private @Nullable Path conflist;

  @Option(
      names = "--calico",
      description =
          "Put Calico's network there, as Calico's own installer does by environment variables,"
              + " with what it needs: kubeconfig, node name and MTU; without etcd and Kubernetes"
              + " also the pools.")
  private boolean calico;

  @Option(
      names = "--calico-dir",
      paramLabel = "DIR",
      defaultValue = "/var/lib/calico",
      description = "Where calico/node keeps its files (default: ${DEFAULT-VALUE}).")
  private Path calicoDirectory = Path.of("/var/lib/calico");

  @Option(
      names = "--renew",
      description = "Stay, and renew the token in Calico's kubeconfig before it ends.")
  private boolean renew;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long to wait for the daemon before that (default: ${DEFAULT-VALUE}).")
  private int waitSeconds = 10;

  @Option(
      names = "--prefix",
      paramLabel = "DIR",
      description = "Copy the distribution to a folder of its own in here first, and use it there.")
  private @Nullable Path prefix;

  @Option(
      names = "--systemd",
      negatable = true,
      description = "Also install the units of the daemon (default: no).")
  private boolean systemd;

  @Option(
      names = "--node",
      description =
          "Have the units run \"ocicat node\", which is the node's agent as well, with the variables"
              + " in /etc/ocicat/node.env; implies --systemd.")
  private boolean node;

  @Option(
      names = "--cri",
      description =
          "Also install the unit of kubelet's container runtime, \"ocicat cri\"; implies --systemd.")
  private boolean cri;

  @Option(
      names = "--unit-dir",
      paramLabel = "DIR",
      description = "Where to (default: /etc/systemd/system).")
  private @Nullable Path unitDirectory;

  @Option(
      names = "--no-on-demand",
      description =
          "Where no daemon runs, have each call start a JVM of its own rather than a daemon that"
              + " ends when idle.")
  private boolean noOnDemand;

  @Option(
      names = "--replace",
      description = "Take the place of other executables, which are kept as <name>.before-ocicat.")
  private boolean replace;

  @Option(
      names = "--dry-run",
      description = "Show what would be done and whether it could be, and do nothing.")
  private boolean dryRun;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /**
   * @param home the distribution, when this runs from one
   * @param release identifies it
   */
  public InstallCommand(Map<String, String> environment, Optional<Path> home, String release) {
    this.environment = Map.copyOf(environment);
    this.folders = StateFolders.of(environment);
    this.home = home;
    this.release = release;
  }

  @Override
  public Integer call() {
    if (renew && !(calico && serviceAccount().isThere())) {
      throw new InstallException(
          "--renew needs --calico, and a pod with a service account to get tokens by");
    }
    Distribution distribution = distribution();
    Optional<ServiceAccount.Token> token =
        calico && serviceAccount().isThere()
            ? Optional.of(dryRun ? ServiceAccount.Token.NOT_REQUESTED : serviceAccount().request())
            : Optional.empty();
    try (InstallOutput output = new InstallOutput(spec.commandLine().getOut(), json, dryRun)) {
      install(distribution, token, output);
    }
    if (renew && !dryRun) {
      token.ifPresent(this::keepFresh);
    }
    return ExitCode.OK;
  }

  private void install(
      Distribution distribution, Optional<ServiceAccount.Token> token, InstallOutput output) {
    InstallReport report = new InstallReport(output, tree());
    List<InstallItem> executables = executables(distribution);
    token.map(this::kubeconfig).ifPresent(executables::add);
    List<InstallItem> networks = networks();
    if (dryRun) {
      InstallManifest manifest = InstallManifest.read(folders.state());
      report.done(plan(executables, manifest));
      report.done(plan(networks, manifest));
      if (!networks.isEmpty()) {
        requireDaemon();
      }
      return;
    }
    if (calico && calicoNetwork().datastore().equals("embedded")) {
      calicoSetUp().prepareDatastore();
    }
    try (FileLock _ = lock(folders.state())) {
      InstallManifest manifest = InstallManifest.read(folders.state());
      Placement placement = new Placement(folders.state(), manifest);
      List<InstallPlan.Step> first = plan(executables, manifest);
      List<InstallPlan.Step> second = plan(networks, manifest);
      tree().ifPresent(tree -> distribution.folders(tree).forEach(manifest::putDirectory));
      placement.carryOut(first);
      report.done(first);
      if (!networks.isEmpty()) {
        awaitDaemon();
        placement.carryOut(second);
        report.done(second);
      }
    }
    if (calico && !calicoNetwork().datastore().equals("embedded")) {
      new SharedDatastore(environment, calicoNetwork().datastore(), calicoSetUp().nodeName())
          .prepare()
          .forEach(output::missing);
    }
    if (withUnits()) {
      output.next(cri ? ENABLE + " ocicat-cri.service" : ENABLE);
    }
  }

  private boolean withUnits() {
    return systemd || node || cri;
  }

  private Distribution distribution() {
    return new Distribution(
        home.orElseThrow(
            () ->
                new InstallException(
                    "this ocicat is not part of a distribution, so there is nothing to install:"
                        + " use bin/ocicat of one")));
  }

  /** The folder to copy the distribution to, if it is not there already. */
  private Optional<Path> tree() {
    return Optional.ofNullable(prefix)
        .map(folder -> absolute(folder).resolve("ocicat-" + release))
        .filter(folder -> !folder.equals(distribution().home()));
  }

  private List<InstallItem> executables(Distribution distribution) {
    List<InstallItem> items = new ArrayList<>();
    tree().ifPresent(folder -> items.addAll(distribution.copyTo(folder)));
    Path finalHome = tree().orElse(distribution.home());
    items.addAll(distribution.plugins(absolute(binDirectory), finalHome));
    if (noOnDemand) {
      byte[] why =
          "Written by ocicat install --no-on-demand: plugins start no daemon.\n"
              .getBytes(StandardCharsets.UTF_8);
      items.add(
          InstallItem.text(why, "rw-r--r--", Distribution.noOnDemand(absolute(binDirectory))));
    }
    if (withUnits()) {
      items.addAll(distribution.units(units(), finalHome, node, cri));
    }
    if (calico) {
      items.addAll(calicoSetUp().items());
    }
    return items;
  }

  private CalicoSetUp calicoSetUp() {
    return new CalicoSetUp(environment, absolute(calicoDirectory));
  }

  private CalicoNetwork calicoNetwork() {
    return new CalicoNetwork(environment, absolute(conf.directory()), calicoSetUp().nodeName());
  }

  private ServiceAccount serviceAccount() {
    return new ServiceAccount(
        environment,
        Path.of(
            environment.getOrDefault("CALICO_SERVICE_ACCOUNT_DIR", SERVICE_ACCOUNT.toString())));
  }

  private InstallItem kubeconfig(ServiceAccount.Token token) {
    return InstallItem.text(
            serviceAccount().kubeconfig(token), "rw-------", calicoNetwork().kubeconfig())
        .losingEdits();
  }

  private void keepFresh(ServiceAccount.Token token) {
    PrintWriter log = spec.commandLine().getErr();
    new TokenRenewal(
            () -> serviceAccount().request(),
            this::replaceKubeconfig,
            line -> log.println("ocicat: " + line),
            Clock.systemUTC(),
            Thread::sleep)
        .run(token);
  }

  private void replaceKubeconfig(ServiceAccount.Token token) {
    try (FileLock _ = lock(folders.state())) {
      InstallManifest manifest = InstallManifest.read(folders.state());
      new Placement(folders.state(), manifest).carryOut(plan(List.of(kubeconfig(token)), manifest));
    }
  }

  private Path units() {
    if (unitDirectory == null && !Files.isDirectory(SYSTEMD)) {
      throw new InstallException(
          "systemd does not run here (there is no %s): leave --systemd out, or say --unit-dir"
              .formatted(SYSTEMD));
    }
    return absolute(unitDirectory == null ? UNITS : unitDirectory);
  }

  private List<InstallItem> networks() {
    List<InstallItem> networks = new ArrayList<>();
    if (calico) {
      CalicoNetwork network = calicoNetwork();
      if (network.needsKubeconfig() && !serviceAccount().isThere()) {
        throw new InstallException(
            "there is no kubeconfig for the plugin: set KUBECONFIG to one, or run this in a pod whose account may create tokens of calico-cni-plugin");
      }
      networks.add(network.item());
    }
    if (conflist != null) {
      networks.add(network(conflist));
    }
    return networks;
  }

  private InstallItem network(Path conflist) {
    Path name = conflist.getFileName();
    if (name == null || !name.toString().endsWith(".conflist")) {
      throw new InstallException(
          "runtimes look for networks in files whose names end with .conflist, not in \"%s\""
              .formatted(conflist));
    }
    try {
      byte[] bytes = Files.readAllBytes(conflist);
      ConfigList.parse(bytes);
      return InstallItem.text(
          bytes, "rw-------", absolute(conf.directory()).resolve(name.toString()));
    } catch (IOException e) {
      throw InstallException.of("read", conflist, e);
    } catch (CniException e) {
      throw new InstallException(
          "%s is no network: %s %s".formatted(conflist, e.msg(), e.details()).strip());
    }
  }

  private List<InstallPlan.Step> plan(List<InstallItem> items, InstallManifest manifest) {
    InstallPlan plan = InstallPlan.of(items, manifest, replace);
    if (!plan.obstacles().isEmpty()) {
      throw new InstallException(
          "%s; nothing was changed%s"
              .formatted(
                  String.join(", ", plan.obstacles()),
                  replace ? "" : "; --replace keeps them as <name>" + InstallPlan.KEPT));
    }
    plan.edited()
        .forEach(
            path ->
                spec.commandLine()
                    .getErr()
                    .println(
                        "ocicat: %s was edited and stays as it is: --replace writes it again"
                            .formatted(path)));
    return plan.steps();
  }

  /** A dry run promises no more than what the same command would do now. */
  private void requireDaemon() {
    Optional<String> obstacle = new DaemonReadiness(folders.socket()).await(Duration.ZERO);
    if (obstacle.isPresent()) {
      throw new InstallException(
          "the plugins would be installed, the network would not: ocicatd does not serve calls (%s); %s%s"
              .formatted(
                  obstacle.get(),
                  withUnits() ? "install without the network first, then " : "start it first: ",
                  howToStart()));
    }
  }

  private String howToStart() {
    return withUnits()
        ? ENABLE
        : tree().orElse(distribution().home()).resolve("bin/ocicat") + " daemon";
  }

  private void awaitDaemon() {
    DaemonReadiness readiness = new DaemonReadiness(folders.socket());
    Optional<String> obstacle = readiness.await(Duration.ZERO);
    if (obstacle.isPresent() && waitSeconds > 0) {
      spec.commandLine()
          .getErr()
          .println(
              "ocicat: ocicatd does not serve calls (%s): waiting up to %d s for it; start it: %s"
                  .formatted(obstacle.get(), waitSeconds, howToStart()));
      obstacle = readiness.await(Duration.ofSeconds(waitSeconds));
    }
    if (obstacle.isPresent()) {
      throw new InstallException(
          "the plugins are installed, the network is not: ocicatd does not serve calls (%s); start it and repeat the command: %s"
              .formatted(obstacle.get(), howToStart()));
    }
  }

  /** One install or uninstall at a time. */
  static FileLock lock(Path state) {
    InstallManifest.makeFolder(state);
    return FileLock.acquire(state, FileLock.Mode.EXCLUSIVE, LOCK_LIMIT);
  }

  private static Path absolute(Path path) {
    return path.toAbsolutePath().normalize();
  }
}
