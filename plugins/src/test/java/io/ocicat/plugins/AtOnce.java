package io.ocicat.plugins;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Makes several plugin calls concurrently, like a runtime that starts many pods. */
public final class AtOnce {
  private AtOnce() {}

  public static List<Ran> adds(List<Attaching> all) {
    return run(all.stream().<Callable<Ran>>map(each -> each::add).toList());
  }

  public static List<Ran> dels(List<Attaching> all) {
    return run(all.stream().<Callable<Ran>>map(each -> each::del).toList());
  }

  /** The replies of all, in the order of the calls. */
  public static List<Ran> run(List<Callable<Ran>> calls) {
    List<Ran> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(calls.size())) {
      for (Future<Ran> answer : threads.invokeAll(calls)) {
        answers.add(answer.get());
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return answers;
  }
}
