@NullMarked
package io.ocicat.cli.pod;

import org.jspecify.annotations.NullMarked;
