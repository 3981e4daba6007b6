package io.ocicat.cri;

import io.ocicat.base.json.Json;
import io.ocicat.image.ImageStore;
import io.ocicat.image.PullEvent;
import io.ocicat.image.testing.TarBuilder;
import io.ocicat.image.testing.TestImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Images like those that critest uses, made of busybox. */
final class TestImages {
  static final String BUSYBOX = "registry.k8s.io/e2e-test-images/busybox:1.29-2";
  static final String WEB = "registry.k8s.io/e2e-test-images/httpd:2.4.39-4";

  private static final List<String> APPLETS =
      List.of(
          "sh",
          "cat",
          "echo",
          "sleep",
          "ls",
          "id",
          "touch",
          "mkdir",
          "rm",
          "true",
          "false",
          "ps",
          "hostname",
          "httpd",
          "nc",
          "head",
          "dd",
          "kill",
          "env",
          "pwd",
          "mount",
          "grep",
          "stat",
          "chmod",
          "ip",
          "ping",
          "stty",
          "sysctl",
          "tail",
          "top",
          "brctl",
          "sync",
          "date",
          "printf",
          "test",
          "chroot",
          "mknod",
          "ln",
          "wget",
          "whoami",
          "df");

  private TestImages() {}

  static byte[] busyboxLayer() {
    TarBuilder tar = new TarBuilder();
    for (String folder : List.of("bin/", "etc/", "tmp/", "var/", "var/run/", "root/", "www/")) {
      tar.directory(folder);
    }
    try {
      tar.mode(0755).file("bin/busybox", Files.readAllBytes(Path.of("/bin/busybox")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    APPLETS.forEach(applet -> tar.symlink("bin/" + applet, "busybox"));
    tar.mode(0644)
        .file(
            "etc/passwd",
            """
            root:x:0:0:root:/root:/bin/sh
            www-data:x:33:33:www-data:/var/www:/bin/sh
            default-user:x:1000:1000::/:/bin/sh
            """)
        .file(
            "etc/group", "root:x:0:\nwww-data:x:33:\ngroup-defined-in-image:x:50000:default-user\n")
        .file("www/index.html", "hello from the pod\n");
    return tar.build();
  }

  /** Loads an image of that name, which runs a command unless a container says otherwise. */
  static void load(ImageStore store, Path folder, String name, String... command) {
    TestImage image = TestImage.of(busyboxLayer());
    image.config().set("Cmd", Json.array(List.of(command)));
    image.config().set("Env", Json.array(List.of("PATH=/bin", "FROM_IMAGE=yes")));
    load(store, folder, name, image);
  }

  static void load(ImageStore store, Path folder, String name, TestImage image) {
    Path archive = image.write(folder.resolve("image.tar"), image.dockerArchive(name));
    store.load(archive, null, PullEvent.Listener.NOBODY);
  }
}
