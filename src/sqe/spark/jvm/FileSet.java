package sqe.jvm;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.GlobPattern;
import org.apache.hadoop.fs.Path;

/** The files or folders that a path stands for: itself, or what its pattern matches (`*`, `**`, `?`, `[…]`, `{…}`). */
final class FileSet {
  private static final Pattern SPECIAL = Pattern.compile("[*?\\[{]");
  private static final String PARTITIONS = ".*[^/=]+=[^/]*/.*";
  private static final int DEEPEST = 64;

  private final FilePlace place;
  private final FileSystem files;
  private final List found = new ArrayList();
  private final String ending;

  private FileSet(FilePlace place, Configuration conf, String ending) throws IOException {
    this.place = place;
    this.ending = ending;
    this.files = place.hadoopPath(place.isHttp() ? place.path : fixedPart(place.path)).getFileSystem(conf);
  }

  /** The folder that everything matched by a pattern is in; for a path without pattern that path. */
  static String fixedPart(String path) {
    java.util.regex.Matcher special = SPECIAL.matcher(path);
    return special.find() ? path.substring(0, path.lastIndexOf('/', special.start()) + 1) : path;
  }

  /** Throws `NoSuchFile` when there is nothing; `ending` (may be null) is how the names of files must end. */
  static FileSet find(FilePlace place, Configuration conf, String ending) throws IOException {
    FileSet set = new FileSet(place, conf, ending);
    FileStatus exact = set.status(place.hadoopPath(place.path));
    if (exact != null) {
      set.found.add(exact);
    } else if (!place.isHttp() && SPECIAL.matcher(place.path).find()) {
      String base = fixedPart(place.path);
      String[] parts = place.path.substring(base.length()).split("/");
      try {
        set.walk(place.hadoopPath(base), parts, 0, DEEPEST);
      } catch (IllegalArgumentException wrong) {
        throw new WrongArguments("the path is no valid pattern");
      }
    }
    if (set.found.isEmpty()) {
      throw new NoSuchFile("there is no file " + place.text());
    }
    return set;
  }

  String[] paths() {
    String[] paths = new String[found.size()];
    for (int i = 0; i < paths.length; i++) {
      paths[i] = ((FileStatus) found.get(i)).getPath().toString();
    }
    return paths;
  }

  /** Where folders such as `year=2024` begin to be columns, null when there are none. */
  String partitionBase() {
    String base = place.isHttp() ? place.path : fixedPart(place.path);
    for (int i = 0; i < found.size(); i++) {
      String path = ((FileStatus) found.get(i)).getPath().toUri().getPath();
      boolean below = !base.equals(place.path) && path.startsWith(base);
      if (below && path.substring(base.length()).matches(PARTITIONS)) {
        return place.hadoopPath(base).toString();
      }
    }
    return null;
  }

  FileSystem system() {
    return files;
  }

  boolean isFolder() {
    return ((FileStatus) found.get(0)).isDirectory();
  }

  /** Whether folders below the one that was named are called as `year=2024` is. */
  boolean hasPartitions() throws IOException {
    String folder = ((FileStatus) found.get(0)).getPath().toUri().getPath();
    return first().getPath().toUri().getPath().substring(folder.length()).matches(PARTITIONS);
  }

  /** The first file that has something in it, for a look at its content. */
  FileStatus first() throws IOException {
    for (int i = 0; i < found.size(); i++) {
      FileStatus file = first((FileStatus) found.get(i), DEEPEST);
      if (file != null) {
        return file;
      }
    }
    throw new WrongArguments("there is nothing in " + place.text());
  }

  /** How the names of all files end; shorter than any of them. */
  String commonEnding() throws IOException {
    List names = new ArrayList();
    for (int i = 0; i < found.size(); i++) {
      names((FileStatus) found.get(i), names, DEEPEST);
    }
    String common = names.isEmpty() ? "" : ((String) names.get(0)).substring(1);
    for (int i = 0; i < names.size(); i++) {
      String other = ((String) names.get(i)).substring(1);
      while (!other.endsWith(common)) {
        common = common.substring(1);
      }
    }
    if (common.length() == 0) {
      throw new WrongArguments("a compression can be given for files whose names end alike");
    }
    int dot = common.lastIndexOf('.');
    return dot > 0 ? common.substring(dot) : common;
  }

  private void names(FileStatus status, List names, int depth) throws IOException {
    if (!status.isDirectory()) {
      names.add(status.getPath().getName());
      return;
    }
    FileStatus[] inside = depth == 0 ? new FileStatus[0] : children(status.getPath());
    for (int i = 0; i < inside.length; i++) {
      if (!isHidden(inside[i])) {
        names(inside[i], names, depth - 1);
      }
    }
  }

  private FileStatus first(FileStatus status, int depth) throws IOException {
    if (!status.isDirectory()) {
      return status.getLen() > 0 ? status : null;
    }
    FileStatus[] inside = depth == 0 ? new FileStatus[0] : children(status.getPath());
    for (int i = 0; i < inside.length; i++) {
      boolean wanted = inside[i].isDirectory() || ending == null || inside[i].getPath().getName().endsWith(ending);
      FileStatus file = isHidden(inside[i]) || !wanted ? null : first(inside[i], depth - 1);
      if (file != null) {
        return file;
      }
    }
    return null;
  }

  private void walk(Path folder, String[] parts, int at, int depth) throws IOException {
    boolean last = at == parts.length - 1;
    boolean deep = parts[at].equals("**");
    if (deep && !last) {
      walk(folder, parts, at + 1, depth);
    }
    GlobPattern pattern = deep ? null : new GlobPattern(parts[at]);
    FileStatus[] inside = depth == 0 ? new FileStatus[0] : children(folder);
    for (int i = 0; i < inside.length; i++) {
      FileStatus child = inside[i];
      boolean matches = deep || pattern.matches(child.getPath().getName());
      if (!matches || (isHidden(child) && !parts[at].startsWith(child.getPath().getName().substring(0, 1)))) {
        continue;
      }
      if (child.isDirectory() && (deep || !last)) {
        walk(child.getPath(), parts, deep ? at : at + 1, depth - 1);
      } else if (last && !child.isDirectory()) {
        found.add(child);
      }
    }
  }

  /** As Spark does it: such names are for those who write, not for those who read. */
  private static boolean isHidden(FileStatus status) {
    String name = status.getPath().getName();
    return name.startsWith(".") || (name.startsWith("_") && name.indexOf('=') < 0);
  }

  private FileStatus[] children(Path folder) throws IOException {
    try {
      FileStatus[] inside = files.listStatus(folder);
      Arrays.sort(inside);
      return inside;
    } catch (FileNotFoundException gone) {
      return new FileStatus[0];
    }
  }

  private FileStatus status(Path path) throws IOException {
    try {
      return files.getFileStatus(path);
    } catch (FileNotFoundException missing) {
      return null;
    }
  }
}
