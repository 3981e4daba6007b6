package io.ocicat.datastore.kv;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.model.BuiltInProfile;
import io.ocicat.datastore.model.CrossChecks;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourcePage;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.datastore.resource.ResourceWatch;
import io.ocicat.datastore.resource.Write;
import io.ocicat.datastore.resource.WriteOutcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calico's resources in a key-value store, laid out as Calico does in etcd. A revision is the
 * store's in decimal. Owns the store and closes it.
 */
public final class KeyValueDatastore implements Datastore {
  /** How many resources a list reads at once. */
  private static final int PAGE = 1000;

  private final KeyValueStore store;
  private final ResourceAdmission admission;

  public KeyValueDatastore(KeyValueStore store, ResourceAdmission admission) {
    this.store = store;
    this.admission = admission;
  }

  public KeyValueDatastore(KeyValueStore store) {
    this(store, ResourceAdmission.standard());
  }

  @Override
  public Resource create(Resource resource) {
    BuiltInProfile.refuseWrite(resource.key(), "created");
    Resource admitted = admission.forCreate(resource);
    CrossChecks.beforeCreate(this, admitted);
    String path = CalicoLayout.path(admitted.key());
    return switch (store.commit(Transaction.create(path, CalicoLayout.encode(admitted)))) {
      case TransactionOutcome.Committed done ->
          admitted.withRevision(String.valueOf(done.revision()));
      case TransactionOutcome.Refused _ ->
          throw new ExistsException(
              "%s exists already: update it, or choose another name"
                  .formatted(resource.describe()));
    };
  }

  @Override
  public Resource update(Resource resource) {
    BuiltInProfile.refuseWrite(resource.key(), "updated");
    Resource admitted = admission.forUpdate(resource);
    CrossChecks.beforeUpdate(this, admitted);
    String path = CalicoLayout.path(admitted.key());
    long read = revision(admitted.revision());
    return switch (store.commit(Transaction.update(path, read, CalicoLayout.encode(admitted)))) {
      case TransactionOutcome.Committed done ->
          admitted.withRevision(String.valueOf(done.revision()));
      case TransactionOutcome.Refused refused -> throw lost(admitted.key(), path, refused);
    };
  }

  @Override
  public Resource delete(ResourceKey key, @Nullable String revision) {
    BuiltInProfile.refuseWrite(key, "deleted");
    CrossChecks.beforeDelete(this, key);
    String path = CalicoLayout.path(key);
    Transaction transaction =
        revision == null ? Transaction.delete(path) : Transaction.delete(path, revision(revision));
    return switch (store.commit(transaction)) {
      case TransactionOutcome.Committed done -> {
        if (done.deleted().isEmpty()) {
          throw notFound(key);
        }
        yield removed(key, done.deleted().getFirst());
      }
      case TransactionOutcome.Refused refused -> throw lost(key, path, refused);
    };
  }

  @Override
  public boolean hasTransactions() {
    return true;
  }

  @Override
  public WriteOutcome commit(List<Write> writes) {
    return writes.isEmpty()
        ? new WriteOutcome.Done(Map.of())
        : commit(writes, new Transaction(List.of(), List.of()));
  }

  /** Applies several writes together with changes of keys that are not resources. */
  WriteOutcome commit(List<Write> writes, Transaction keys) {
    List<Condition> conditions = new ArrayList<>(keys.conditions());
    List<Change> changes = new ArrayList<>(keys.changes());
    Map<ResourceKey, Resource> admitted = new LinkedHashMap<>();
    for (Write write : writes) {
      BuiltInProfile.refuseWrite(write.key(), "written");
      String path = CalicoLayout.path(write.key());
      conditions.add(new Condition(path, expected(write)));
      switch (write) {
        case Write.Create create -> {
          Resource resource = admission.forCreate(create.resource());
          CrossChecks.beforeCreate(this, resource);
          admitted.put(write.key(), resource);
          changes.add(new Change.Put(path, CalicoLayout.encode(resource)));
        }
        case Write.Update update -> {
          Resource resource = admission.forUpdate(update.resource());
          CrossChecks.beforeUpdate(this, resource);
          admitted.put(write.key(), resource);
          changes.add(new Change.Put(path, CalicoLayout.encode(resource)));
        }
        case Write.Delete _ -> changes.add(new Change.Delete(path));
        case Write.Expect _ -> {}
      }
    }
    return switch (store.commit(new Transaction(conditions, changes))) {
      case TransactionOutcome.Committed done -> {
        admitted.replaceAll((_, r) -> r.withRevision(String.valueOf(done.revision())));
        yield new WriteOutcome.Done(admitted);
      }
      case TransactionOutcome.Refused refused -> current(writes, refused);
    };
  }

  private static long expected(Write write) {
    return switch (write) {
      case Write.Create _ -> 0;
      case Write.Update update -> revision(update.resource().revision());
      case Write.Delete delete -> revision(delete.read().revision());
      case Write.Expect expect -> expect.revision().isEmpty() ? 0 : revision(expect.revision());
    };
  }

  private static WriteOutcome current(List<Write> writes, TransactionOutcome.Refused refused) {
    Map<ResourceKey, Resource> current = new LinkedHashMap<>();
    for (Write write : writes) {
      KeyValue entry = refused.current().get(CalicoLayout.path(write.key()));
      if (entry != null) {
        current.put(write.key(), ResourceAdmission.asRead(CalicoLayout.decode(write.key(), entry)));
      }
    }
    return new WriteOutcome.Refused(current);
  }

  /** An unreadable resource can still be deleted. */
  private static Resource removed(ResourceKey key, KeyValue entry) {
    try {
      return CalicoLayout.decode(key, entry);
    } catch (CorruptException _) {
      return Resource.stored(key, Json.object(), String.valueOf(entry.modified()));
    }
  }

  private static RuntimeException lost(
      ResourceKey key, String path, TransactionOutcome.Refused refused) {
    return refused.current().containsKey(path)
        ? new ConflictException(
            "%s has been changed by somebody else: read it again and repeat the change"
                .formatted(key.describe()))
        : notFound(key);
  }

  private static NotFoundException notFound(ResourceKey key) {
    return new NotFoundException("%s does not exist".formatted(key.describe()));
  }

  @Override
  public Resource get(ResourceKey key) {
    Optional<Resource> builtIn = BuiltInProfile.find(key);
    if (builtIn.isPresent()) {
      return builtIn.get();
    }
    KeyValue entry = store.get(CalicoLayout.path(key)).orElseThrow(() -> notFound(key));
    return ResourceAdmission.asRead(CalicoLayout.decode(key, entry));
  }

  @Override
  public ResourcePage list(ResourceQuery query, int limit, @Nullable String next) {
    ListCursor cursor = ListCursor.of(query, next);
    int wanted = limit == 0 ? PAGE : Math.min(limit, PAGE);
    KeyValuePage page = store.range(cursor.query().limit(wanted));
    List<Resource> items = new ArrayList<>();
    List<ResourcePage.Unreadable> unreadable = new ArrayList<>();
    for (KeyValue entry : page.entries()) {
      read(query, entry, items, unreadable);
    }
    String following = cursor.nextPage(page);
    if (following == null) {
      items.addAll(BuiltInProfile.matching(query));
    }
    return new ResourcePage(String.valueOf(page.revision()), items, unreadable, following);
  }

  private static void read(
      ResourceQuery query,
      KeyValue entry,
      List<Resource> items,
      List<ResourcePage.Unreadable> unreadable) {
    Optional<ResourceKey> key = CalicoLayout.parse(entry.key());
    if (key.isEmpty()) {
      unreadable.add(
          new ResourcePage.Unreadable(
              null, "%s is not the key of a %s".formatted(entry.key(), query.kind())));
    } else if (query.matches(key.get())) {
      try {
        items.add(ResourceAdmission.asRead(CalicoLayout.decode(key.get(), entry)));
      } catch (CorruptException e) {
        unreadable.add(new ResourcePage.Unreadable(key.get(), String.valueOf(e.getMessage())));
      }
    }
  }

  @Override
  public ResourceWatch watch(ResourceQuery query, String revision) {
    long after = revision(revision);
    return new KeyValueResourceWatch(
        query, store.watch(CalicoLayout.commonPrefix(query), after + 1));
  }

  static long revision(String text) {
    try {
      long revision = Long.parseLong(text);
      if (revision > 0) {
        return revision;
      }
    } catch (NumberFormatException _) {
      // Rejected below.
    }
    throw new InvalidException(
        "revision \"%s\" is not a revision of this datastore: use one that was read"
            .formatted(text));
  }

  @Override
  public StoredCluster cluster() {
    return new StoredCluster(this);
  }

  /** For callers that need keys that are not resources. */
  public KeyValueStore store() {
    return store;
  }

  @Override
  public Optional<String> writeProblem() {
    return store.writeProblem();
  }

  @Override
  public void close() {
    store.close();
  }
}
