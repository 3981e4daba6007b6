package io.ocicat.cli.image;

import io.ocicat.base.json.Json;
import io.ocicat.image.Image;
import io.ocicat.image.ImageReference;
import io.ocicat.image.ImageStore;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.registry.RegistrySettings;
import io.ocicat.image.store.StoreSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ocicat image pull}: fetches an image from a registry. */
@Command(
    name = "pull",
    description = {
      "Fetch an image from its registry and unpack it.",
      "A name without a registry means docker.io; one without a tag, latest. Everything is verified by"
          + " its digest. A pull that was cut is resumed by the next one."
    },
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Example: ocicat image pull registry.k8s.io/pause:3.10",
      "",
      "Mirrors, certificates and registries without TLS are configured as for containerd: see --hosts.",
      "HTTPS_PROXY, HTTP_PROXY and NO_PROXY name proxies."
    })
final class ImagePullCommand extends ImageCommand.Sub {
  @Parameters(paramLabel = "IMAGE", description = "[REGISTRY/]REPOSITORY[:TAG|@DIGEST].")
  private String name = "";

  @Option(
      names = {"-u", "--username"},
      paramLabel = "NAME",
      description =
          "Log in to the registry as this user; the password is read from standard input.")
  private @Nullable String username;

  @Option(
      names = "--hosts",
      paramLabel = "DIR",
      defaultValue = "/etc/containerd/certs.d",
      description = "Where <registry>/hosts.toml is looked for (default: ${DEFAULT-VALUE}).")
  private Path hosts = RegistrySettings.USUAL.hostsFolder();

  @Override
  StoreSettings settings(StoreSettings usual) {
    return usual.registry(RegistrySettings.USUAL.hosts(hosts).environment(System.getenv()));
  }

  @Override
  int call(ImageStore store) {
    ImageReference reference = reference(name);
    Image image;
    try (TransferView view = new TransferView(err())) {
      image = store.pull(reference, credentials(), view);
    }
    out().println(json() ? Json.pretty(ImageJson.of(image)) : image.id().toString());
    return 0;
  }

  private RegistryCredentials credentials() {
    if (username == null) {
      return RegistryCredentials.NONE;
    }
    try {
      String password =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      if (password == null || password.isEmpty()) {
        throw misuse("standard input has no password for --username");
      }
      return RegistryCredentials.basic(username, password);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the password from standard input", e);
    }
  }
}
