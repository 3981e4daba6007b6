package io.ocicat.cli.resource;

import io.ocicat.base.yaml.YamlReader;
import io.ocicat.base.yaml.YamlSyntaxException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.Datastores;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.datastore.error.InvalidException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Options that select the datastore, in the same way as calicoctl. */
public final class ConnectionOptions {
  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description =
          "calicoctl's configuration file. Without it /etc/calico/calicoctl.cfg, else the variables"
              + " DATASTORE_TYPE, ETCD_ENDPOINTS, KUBECONFIG, …, else the embedded datastore.")
  @Nullable Path config;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "The context of the kubeconfig to use.")
  @Nullable String context;

  @Option(
      names = "--allow-version-mismatch",
      description = "For calicoctl's users: versions are never compared here.")
  boolean allowVersionMismatch;

  /** As if the file had been given as an option. */
  public static ConnectionOptions ofFile(Path file) {
    ConnectionOptions options = new ConnectionOptions();
    options.config = file;
    return options;
  }

  /** Opens the datastore of these options; the caller closes it. */
  public Datastore open(CommandContext commandContext) {
    return Datastores.openOwn(read(commandContext));
  }

  /** The datastore configuration of these options. */
  public DatastoreConfig read(CommandContext commandContext) {
    Path named = config;
    if (named != null) {
      return read(named, commandContext.environment());
    }
    return Files.isReadable(commandContext.configFile())
        ? read(commandContext.configFile(), commandContext.environment())
        : ofEnvironment(commandContext.environment());
  }

  private DatastoreConfig ofEnvironment(Map<String, String> environment) {
    Map<String, String> changed = new HashMap<>(environment);
    if (context != null) {
      changed.put("CALICO_K8S_CURRENT_CONTEXT", context);
    }
    return DatastoreConfig.ofEnvironment(changed);
  }

  private DatastoreConfig read(Path file, Map<String, String> environment) {
    ObjectNode document = document(file);
    if (context != null && document.get("spec") instanceof ObjectNode spec) {
      spec.put("k8sCurrentContext", context);
    }
    try {
      return DatastoreConfig.ofCalicoctlFile(document, environment);
    } catch (InvalidException e) {
      throw new CommandException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }

  /**
   * Reads a configuration file.
   *
   * @throws CommandException when it is not valid
   */
  private static ObjectNode document(Path file) {
    try {
      List<YamlReader.Document> documents = YamlReader.readAll(Files.readString(file));
      if (documents.size() == 1 && documents.getFirst().value() instanceof ObjectNode object) {
        return object;
      }
      throw new CommandException(
          "%s: a configuration is one document of kind CalicoAPIConfig".formatted(file));
    } catch (NoSuchFileException e) {
      throw new CommandException("%s: there is no such file".formatted(file), e);
    } catch (IOException e) {
      throw new CommandException("%s cannot be read: %s".formatted(file, e), e);
    } catch (YamlSyntaxException e) {
      throw new CommandException(e.in(file.toString()), e);
    } catch (IllegalArgumentException e) {
      throw new CommandException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }
}
