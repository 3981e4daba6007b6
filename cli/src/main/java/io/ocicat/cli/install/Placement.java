package io.ocicat.cli.install;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Carries out a plan so that it can be killed at any point and repeated: the manifest is written,
 * everything is staged next to its path, then each file is renamed into place. At no moment is an
 * executable missing where one was.
 *
 * @param state the directory that has the manifest
 */
record Placement(Path state, InstallManifest manifest) {

  void carryOut(List<InstallPlan.Step> steps) {
    List<InstallPlan.Step> work =
        steps.stream().filter(step -> step.task() != InstallPlan.Task.LEAVE).toList();
    InstallManifest before = InstallManifest.read(state);
    try {
      steps.forEach(this::announce);
      manifest.write(state);
      work.forEach(step -> step.item().stage());
    } catch (RuntimeException e) {
      rollBack(work, before, e);
      throw e;
    }
    for (InstallPlan.Step step : work) {
      if (step.task() == InstallPlan.Task.REPLACE && step.kept() != null) {
        keep(step.item().path(), step.kept().path());
      }
      step.item().appear();
    }
    sync(work);
    steps.forEach(this::settle);
    manifest.write(state);
  }

  /** Nothing has been put in place so far; undoes as much as possible. */
  private void rollBack(
      List<InstallPlan.Step> work, InstallManifest before, RuntimeException first) {
    List<Runnable> tasks = new ArrayList<>();
    work.forEach(step -> tasks.add(step.item()::unstage));
    manifest.directories().reversed().forEach(folder -> tasks.add(() -> removeIfEmpty(folder)));
    tasks.add(() -> restore(before));
    for (Runnable task : tasks) {
      try {
        task.run();
      } catch (RuntimeException e) {
        first.addSuppressed(e);
      }
    }
  }

  private void restore(InstallManifest before) {
    if (before.isEmpty()) {
      InstallManifest.remove(state);
    } else {
      before.write(state);
    }
  }

  private static void removeIfEmpty(Path directory) {
    try {
      Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException _) {
      // It was there before.
    } catch (IOException e) {
      throw InstallException.of("remove", directory, e);
    }
  }

  /** Until all is done, both the present and the future content is ours. */
  private void announce(InstallPlan.Step step) {
    Path path = step.item().path();
    Set<Fingerprint> ours = new HashSet<>();
    manifest.entry(path).ifPresent(entry -> ours.addAll(entry.ours()));
    ours.add(step.fingerprint());
    manifest.put(new InstallManifest.Entry(path, ours, step.kept()));
  }

  private void settle(InstallPlan.Step step) {
    manifest.put(
        new InstallManifest.Entry(step.item().path(), Set.of(step.fingerprint()), step.kept()));
  }

  /** Gives it a second name; a rename then takes over the first. */
  private static void keep(Path path, Path aside) {
    if (InstallPlan.isSameFile(path, aside)) {
      return;
    }
    try {
      Files.deleteIfExists(aside);
      Files.createLink(aside, path);
    } catch (IOException e) {
      throw InstallException.of("keep " + path + " as", aside, e);
    }
  }

  private static void sync(List<InstallPlan.Step> steps) {
    Set<Path> directories = new LinkedHashSet<>();
    steps.forEach(step -> directories.add(step.item().path().getParent()));
    for (Path directory : directories) {
      try (FileChannel channel = FileChannel.open(directory)) {
        channel.force(true);
      } catch (IOException e) {
        throw InstallException.of("write", directory, e);
      }
    }
  }
}
