@NullMarked
package io.ocicat.cli.image;

import org.jspecify.annotations.NullMarked;
