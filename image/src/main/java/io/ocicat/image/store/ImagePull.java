package io.ocicat.image.store;

import io.ocicat.image.Digest;
import io.ocicat.image.Image;
import io.ocicat.image.ImageException;
import io.ocicat.image.ImageException.Reason;
import io.ocicat.image.ImageReference;
import io.ocicat.image.PullEvent;
import io.ocicat.image.PullEvent.LayerState;
import io.ocicat.image.RegistryCredentials;
import io.ocicat.image.manifest.ConfigDocument;
import io.ocicat.image.manifest.Descriptor;
import io.ocicat.image.manifest.Manifest;
import io.ocicat.image.registry.RegistryClient;
import io.ocicat.image.registry.RegistryClient.Document;
import io.ocicat.netlink.linux.FileLock;
import io.ocicat.netlink.linux.FileLock.Mode;
import io.ocicat.netlink.linux.NetlinkException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Pulls one image: resolves the name, fetches configuration and missing layers, several at a time,
 * unpacks them in order while others are still on their way, and records the image at last. Not
 * thread-safe; one for each pull.
 */
final class ImagePull {
  private static final int DEEPEST_INDEX = 3;
  private static final Duration LONGEST_DOWNLOAD = Duration.ofHours(6);

  private final LocalImageStore store;
  private final ImageReference reference;
  private final RegistryCredentials credentials;
  private final PullEvent.Listener listener;
  private final List<Digest> manifests = new ArrayList<>();

  ImagePull(
      LocalImageStore store,
      ImageReference reference,
      RegistryCredentials credentials,
      PullEvent.Listener listener) {
    this.store = store;
    this.reference = reference;
    this.credentials = credentials;
    this.listener = listener;
  }

  Image pull() {
    try (FileLock _ = store.files().lockForAdding();
        RegistryClient client =
            new RegistryClient(reference, credentials, store.settings().registry(), listener)) {
      Document top = client.resolve();
      Manifest.Single manifest = select(client, top);
      ConfigDocument config = config(client, manifest);
      listener.on(
          new PullEvent.Resolved(
              reference, top.digest(), manifest.layers().size(), manifest.bytes()));
      try (LayerInstaller installer =
          new LayerInstaller(store.layers(), store.settings(), config.diffIds())) {
        fetchLayers(client, manifest, installer);
        installer.commit();
      }
      Image image = record(manifest, top.digest());
      listener.on(new PullEvent.Done(image));
      return image;
    } catch (NetlinkException e) {
      throw StoreFiles.failed("pull into", store.files().root(), e);
    }
  }

  /** Follows indexes to the manifest for this machine; keeps all of them. */
  private Manifest.Single select(RegistryClient client, Document top) {
    Document document = top;
    for (int i = 0; i < DEEPEST_INDEX; i++) {
      manifests.add(store.blobs().write(document.bytes()));
      switch (Manifest.parse(document.bytes(), "manifest of " + reference)) {
        case Manifest.Single single -> {
          return single;
        }
        case Manifest.Index index ->
            document = client.manifest(index.select(store.settings().platform()).digest());
      }
    }
    throw new ImageException(
        Reason.INVALID, "the indexes of %s are nested too deeply".formatted(reference));
  }

  private ConfigDocument config(RegistryClient client, Manifest.Single manifest) {
    Digest id = manifest.config().digest();
    byte[] bytes = store.blobs().read(id).orElseGet(() -> client.blob(manifest.config()));
    ConfigDocument config = ConfigDocument.parse(bytes, "configuration of " + reference);
    if (config.diffIds().size() != manifest.layers().size()) {
      throw new ImageException(
          Reason.REFUSED,
          "%s: the manifest has %d layers, the configuration %d"
              .formatted(reference, manifest.layers().size(), config.diffIds().size()));
    }
    store.blobs().write(bytes);
    return config;
  }

  private void fetchLayers(
      RegistryClient client, Manifest.Single manifest, LayerInstaller installer) {
    Semaphore turns = new Semaphore(store.settings().registry().parallel(), true);
    List<@Nullable Future<Path>> downloads = new ArrayList<>();
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    try {
      for (int i = 0; i < manifest.layers().size(); i++) {
        Descriptor layer = manifest.layers().get(i);
        downloads.add(
            installer.has(i) ? null : threads.submit(() -> download(client, layer, turns)));
      }
      for (int i = 0; i < downloads.size(); i++) {
        unpack(installer, i, manifest.layers().get(i), downloads.get(i), client, turns);
      }
    } finally {
      threads.shutdownNow();
      threads.close();
    }
  }

  private void unpack(
      LayerInstaller installer,
      int index,
      Descriptor layer,
      @Nullable Future<Path> download,
      RegistryClient client,
      Semaphore turns) {
    if (download != null) {
      Path file = await(download);
      if (Files.notExists(file)) {
        // Another process collected it as garbage after its own pull.
        file = downloadAgain(client, layer, turns);
      }
      Path blob = file;
      progress(layer, LayerState.UNPACKING);
      installer.unpack(
          index,
          () -> Files.newInputStream(blob),
          "layer %s of %s".formatted(layer.digest(), reference));
    }
    progress(layer, LayerState.COMPLETE);
  }

  private Path downloadAgain(RegistryClient client, Descriptor layer, Semaphore turns) {
    try {
      return download(client, layer, turns);
    } catch (InterruptedException e) {
      throw cancelled(e);
    }
  }

  private void progress(Descriptor layer, LayerState state) {
    listener.on(new PullEvent.Layer(layer.digest(), state, layer.size(), layer.size()));
  }

  private Path await(Future<Path> download) {
    try {
      return download.get();
    } catch (InterruptedException e) {
      throw cancelled(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new ImageException(Reason.FAILED, "pull %s: %s".formatted(reference, e.getCause()), e);
    }
  }

  private ImageException cancelled(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ImageException(Reason.CANCELLED, "pull %s: interrupted".formatted(reference), e);
  }

  /** Whoever wants the same blob meanwhile, in this process or another, waits and finds it. */
  private Path download(RegistryClient client, Descriptor layer, Semaphore turns)
      throws InterruptedException {
    Blobs blobs = store.blobs();
    turns.acquire();
    try (KeyedGuards.Held _ = store.downloads().hold(layer.digest().hex());
        FileLock _ =
            FileLock.acquire(
                blobs.draft(layer.digest()).resolveSibling(layer.digest().hex() + ".lock"),
                Mode.EXCLUSIVE,
                LONGEST_DOWNLOAD)) {
      if (!blobs.has(layer.digest())) {
        client.download(layer, blobs.draft(layer.digest()));
        store.files().pass("layer downloaded");
        blobs.commit(layer.digest());
      }
      return blobs.path(layer.digest());
    } finally {
      turns.release();
    }
  }

  private Image record(Manifest.Single manifest, Digest top) {
    return store
        .records()
        .put(
            new ImageRecords.Entry(
                manifest.config().digest(),
                Math.max(1, manifest.bytes()),
                manifests,
                reference.tag() == null ? List.of() : List.of(reference.toString()),
                List.of(reference.at(top).toString())));
  }
}
