package io.ocicat.cli.resource;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CompactedException;
import io.ocicat.datastore.error.UnavailableException;
import io.ocicat.datastore.json.StoredJson;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceEvent;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Prints the present resources, then each change as it happens: a line of a table with the kind of
 * change in front, or a document. Continues through lost connections, and lists again where history
 * is gone.
 */
final class Watcher {
  private static final Duration TIMEOUT = Duration.ofMillis(500);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int EVENT_WIDTH = 9;
  private static final int ROOM = 3;

  private final Datastore datastore;
  private final ResourceQuery query;
  private final Predicate<Resource> wanted;
  private final Format format;
  private final Printer printer;
  private final PrintWriter out;
  private final PrintWriter err;
  private List<Integer> widths = List.of();

  Watcher(
      Datastore datastore,
      ResourceQuery query,
      Predicate<Resource> wanted,
      Format format,
      Printer printer,
      PrintWriter out,
      PrintWriter err) {
    this.datastore = datastore;
    this.query = query;
    this.wanted = wanted;
    this.format = format;
    this.printer = printer;
    this.out = out;
    this.err = err;
  }

  /** Watches for this long; forever when null. */
  void run(@Nullable Duration limit) {
    long end = limit == null ? Long.MAX_VALUE : System.nanoTime() + limit.toNanos();
    String revision = list(true);
    while (System.nanoTime() < end) {
      try (ResourceWatch watch = datastore.watch(query, revision)) {
        revision = follow(watch, revision, end);
      } catch (CompactedException _) {
        err.println("ocicat: changes are no longer known, so everything is listed again");
        revision = list(false);
      } catch (UnavailableException e) {
        if (Thread.currentThread().isInterrupted()) {
          return;
        }
        err.println("ocicat: " + ResourceCommand.oneLine(String.valueOf(e.getMessage())));
        if (!rest()) {
          return;
        }
      }
    }
  }

  private static boolean rest() {
    try {
      Thread.sleep(PAUSE);
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private String follow(ResourceWatch watch, String from, long end) {
    String revision = from;
    while (System.nanoTime() < end) {
      ResourceWatch.Batch batch = watch.next(TIMEOUT);
      batch.events().forEach(this::show);
      revision = batch.revision();
    }
    return revision;
  }

  private String list(boolean first) {
    ResourcePage page = datastore.list(query);
    List<Resource> items = page.items().stream().filter(wanted).toList();
    if (first) {
      heading(items);
    }
    items.forEach(item -> show("ADDED", item));
    return page.revision();
  }

  private void heading(List<Resource> items) {
    List<Columns.Column> columns = printer.columns(query.kind());
    List<Integer> measured = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      int width = columns.get(i).heading().length();
      for (Resource item : items) {
        width = Math.max(width, printer.cells(columns, item)[i].length());
      }
      measured.add(width);
    }
    widths = measured;
    if (!columns.isEmpty()) {
      line("EVENT", columns.stream().map(Columns.Column::heading).toArray(String[]::new));
    }
  }

  private void show(ResourceEvent event) {
    switch (event) {
      case ResourceEvent.Added added -> show("ADDED", added.resource());
      case ResourceEvent.Modified modified -> show("MODIFIED", modified.resource());
      case ResourceEvent.Deleted deleted -> deleted(deleted);
      case ResourceEvent.Unreadable unreadable -> err.println("ocicat: " + unreadable.problem());
    }
  }

  private void deleted(ResourceEvent.Deleted event) {
    if (event.previous().isPresent()) {
      show("DELETED", event.previous().get());
    } else {
      err.println("ocicat: %s was deleted".formatted(event.key().describe()));
    }
  }

  private void show(String event, Resource resource) {
    if (!wanted.test(resource)) {
      return;
    }
    switch (format) {
      case Format.Rows _, Format.CustomColumns _ ->
          line(event, printer.cells(printer.columns(resource.kind()), resource));
      case Format.Name _ -> line(event, new String[] {Printer.name(resource)});
      case Format.PrintedJson _ -> {
        ObjectNode object = Json.object().put("type", event);
        object.set("object", ResourceForm.document(resource));
        out.println(StoredJson.compact(object));
      }
      case Format.Yaml _ -> {
        out.println("--- # " + event);
        printer.document(ResourceForm.document(resource), out);
      }
      case Format.Template _ -> printer.document(ResourceForm.document(resource), out);
    }
    out.flush();
  }

  private void line(String event, String[] cells) {
    StringBuilder line = new StringBuilder(event);
    line.repeat(' ', Math.max(0, EVENT_WIDTH - event.length()) + ROOM - 1);
    for (int i = 0; i < cells.length; i++) {
      int width = i < widths.size() ? widths.get(i) : 0;
      line.append(cells[i]).repeat(' ', Math.max(0, width - cells[i].length()) + ROOM);
    }
    out.println(line.toString().stripTrailing());
  }
}
