@NullMarked
package io.ocicat.plugins.httpipam;

import org.jspecify.annotations.NullMarked;
