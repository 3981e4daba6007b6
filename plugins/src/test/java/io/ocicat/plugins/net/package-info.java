@NullMarked
package io.ocicat.plugins.net;

import org.jspecify.annotations.NullMarked;
