package io.ocicat.cni.plugin;

import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A plugin that records its calls and returns scripted results. */
final class RecordingPlugin implements Plugin {
  final List<Call> calls = new ArrayList<>();
  List<String> supportedVersions = SpecVersion.textsFrom(SpecVersion.V0_1_0);
  String about = "";
  Result result = Result.empty();
  Consumer<Call> action = _ -> {};

  @Override
  public Result add(AddCall call) {
    note(call);
    return result;
  }

  @Override
  public void del(DelCall call) {
    note(call);
  }

  @Override
  public void check(CheckCall call) {
    note(call);
  }

  @Override
  public void gc(GcCall call) {
    note(call);
  }

  @Override
  public void status(StatusCall call) {
    note(call);
  }

  @Override
  public List<String> supportedVersions() {
    return supportedVersions;
  }

  @Override
  public String about() {
    return about;
  }

  private void note(Call call) {
    calls.add(call);
    action.accept(call);
  }

  /** From now on every call fails. */
  RecordingPlugin failing(RuntimeException failure) {
    action =
        _ -> {
          throw failure;
        };
    return this;
  }

  <T extends Call> T only(Class<T> kind) {
    if (calls.size() != 1) {
      throw new AssertionError("called " + calls.size() + " times: " + calls);
    }
    return kind.cast(calls.getFirst());
  }
}
