import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.ModuleAttribute;
import java.lang.classfile.attribute.ModulePackagesAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ModuleDesc;
import java.lang.constant.PackageDesc;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AccessFlag;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Makes one module of all jars, for jlink: most of them are not modules, and an image takes only
 * modules. What META-INF/services says becomes "provides" and "uses"; of multi-release jars the
 * classes for this Java are taken; of a file that is there twice the first, as on a class path.
 *
 * <p>Usage: {@code java ApplicationModule.java <module> <required modules> <jar to write> <jars…>}
 */
final class ApplicationModule {
  private static final String SERVICES = "META-INF/services/";

  private final Map<String, byte[]> files = new TreeMap<>();
  private final Map<String, Set<String>> providers = new LinkedHashMap<>();
  private final Set<String> uses = new TreeSet<>();

  public static void main(String[] args) throws IOException {
    ApplicationModule module = new ApplicationModule();
    for (int i = 3; i < args.length; i++) {
      module.add(Path.of(args[i]));
    }
    module.files.put("module-info.class", module.descriptor(args[0], List.of(args[1].split(","))));
    module.write(Path.of(args[2]));
  }

  private void add(Path path) throws IOException {
    try (JarFile jar =
        new JarFile(path.toFile(), false, ZipFile.OPEN_READ, Runtime.version())) {
      for (JarEntry entry : (Iterable<JarEntry>) jar.versionedStream()::iterator) {
        String name = entry.getName();
        if (entry.isDirectory()) {
          continue;
        }
        try (InputStream in = jar.getInputStream(entry)) {
          byte[] content = in.readAllBytes();
          if (name.equals("module-info.class")) {
            uses.addAll(ModuleDescriptor.read(new ByteArrayInputStream(content)).uses());
          } else if (name.startsWith(SERVICES)) {
            providers
                .computeIfAbsent(name.substring(SERVICES.length()), _ -> new LinkedHashSet<>())
                .addAll(classes(content));
          } else if (!name.startsWith("META-INF/")) {
            files.putIfAbsent(name, content);
          }
        }
      }
    }
  }

  private static List<String> classes(byte[] service) {
    List<String> names = new ArrayList<>();
    for (String line : new String(service, StandardCharsets.UTF_8).lines().toList()) {
      String name = line.replaceFirst("#.*", "").strip();
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    return names;
  }

  /** Open, because JSON is read into records and picocli looks into commands by reflection. */
  private byte[] descriptor(String name, List<String> required) {
    uses.addAll(providers.keySet());
    uses.removeIf(service -> !exists(service));
    Set<String> packages = new TreeSet<>();
    for (String file : files.keySet()) {
      if (file.endsWith(".class")) {
        packages.add(file.substring(0, file.lastIndexOf('/')).replace('/', '.'));
      }
    }
    ModuleAttribute module =
        ModuleAttribute.of(
            ModuleDesc.of(name),
            it -> {
              it.moduleFlags(AccessFlag.OPEN);
              for (String other : required) {
                it.requires(
                    ModuleDesc.of(other),
                    other.equals("java.base") ? List.of(AccessFlag.MANDATED) : List.of(),
                    null);
              }
              uses.forEach(service -> it.uses(ClassDesc.of(service)));
              providers.forEach(
                  (service, classes) -> {
                    if (exists(service)) {
                      it.provides(
                          ClassDesc.of(service),
                          classes.stream().map(ClassDesc::of).toArray(ClassDesc[]::new));
                    }
                  });
            });
    return ClassFile.of()
        .buildModule(
            module,
            it ->
                it.with(
                    ModulePackagesAttribute.ofNames(
                        packages.stream().map(PackageDesc::of).toList())));
  }

  /** Some jars have services for libraries that are not here. */
  private boolean exists(String type) {
    return type.startsWith("java.") || files.containsKey(type.replace('.', '/') + ".class");
  }

  /** Not compressed: jlink reads it once. */
  private void write(Path jar) throws IOException {
    try (ZipOutputStream out =
        new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(jar)))) {
      out.setMethod(ZipOutputStream.STORED);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        ZipEntry entry = new ZipEntry(file.getKey());
        CRC32 checksum = new CRC32();
        checksum.update(file.getValue());
        entry.setCrc(checksum.getValue());
        entry.setSize(file.getValue().length);
        entry.setTime(0);
        out.putNextEntry(entry);
        out.write(file.getValue());
      }
    }
  }
}
