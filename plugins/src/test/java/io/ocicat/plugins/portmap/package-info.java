@NullMarked
package io.ocicat.plugins.portmap;

import org.jspecify.annotations.NullMarked;
